//! Who may ask, decided before anything else looks at a request.
//!
//! Every request must name this server as its `Host`: a name that somebody else's DNS points here is not ours.
//! Whatever does something is a POST and must come from a page of ours, which its `Origin` says. Whoever has no
//! cookie must show the token that was printed, once; the cookie that is given for it is read by no script and sent by
//! no other site. Every answer forbids the browser to run, load or frame anything but what is served here.

use crate::limits::Limits;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// What a server asks of those who come.
#[derive(Debug)]
pub struct Guard {
    address: SocketAddr,
    limits: Limits,
    token: String,
    cookie: String,
}

/// Scripts and styles of ours only; nothing is framed, sent or loaded elsewhere, and no text becomes markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     require-trusted-types-for 'script'; trusted-types ludex";

/// The shortest token that may be chosen.
pub const SHORTEST_TOKEN: usize = 16;

impl Guard {
    /// The guard of a server at this address.
    pub fn new(address: SocketAddr, token: String, limits: &Limits) -> Guard {
        Guard { address, limits: limits.clone(), token, cookie: format!("ludex-{}", address.port()) }
    }

    /// Whether a `Host` or the rest of an `Origin` names this server: its port, and `localhost` or a plain number
    /// of the kind it listens at. Plain numbers cannot be pointed elsewhere by anybody.
    fn is_ours(&self, host: &str) -> bool {
        let port = self.address.port();
        let name = match host.strip_suffix(&format!(":{port}")) {
            Some(name) => name,
            None if port == 80 => host,
            None => return false,
        };
        if name.eq_ignore_ascii_case("localhost") {
            return self.address.ip().is_loopback() || self.address.ip().is_unspecified();
        }
        let plain = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
        let Ok(named) = plain.parse::<IpAddr>() else { return false };
        let own = self.address.ip();
        named == own || own.is_unspecified() || (own.is_loopback() && named.is_loopback())
    }

    fn admits(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), (StatusCode, &'static str)> {
        let one = |name: HeaderName| {
            let mut values = headers.get_all(name).iter();
            let first = values.next().and_then(|value| value.to_str().ok());
            first.filter(|_| values.next().is_none())
        };
        if !one(header::HOST).is_some_and(|host| self.is_ours(host)) {
            return Err((
                StatusCode::MISDIRECTED_REQUEST,
                "this server has another name; open the address it printed",
            ));
        }
        if method == Method::POST {
            let origin = one(header::ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
            if !origin.is_some_and(|host| self.is_ours(host)) {
                return Err((StatusCode::FORBIDDEN, "only pages of this server may ask for this"));
            }
        } else if method != Method::GET && method != Method::HEAD {
            return Err((StatusCode::METHOD_NOT_ALLOWED, "there is nothing here for this method"));
        }
        if headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site" || site == "same-site")
            && method == Method::POST
        {
            return Err((StatusCode::FORBIDDEN, "only pages of this server may ask for this"));
        }
        if !self.has_cookie(headers) && !self.token_in(uri) {
            return Err((
                StatusCode::UNAUTHORIZED,
                "open the address that the server printed: it has a token in it",
            ));
        }
        // What says that it is too long is refused before it is sent; what does not is cut at the limit.
        let length = one(header::CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
        if length.is_some_and(|length| length > self.limits.body as u64) {
            return Err((StatusCode::PAYLOAD_TOO_LARGE, "this is more than any sheet or record needs"));
        }
        Ok(())
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs =
            pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == self.cookie && same(value, &self.token))
    }

    /// The front page, opened with the token.
    fn token_in(&self, uri: &Uri) -> bool {
        let given =
            uri.query().and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("token=")));
        uri.path() == "/" && given.is_some_and(|given| same(given, &self.token))
    }

    fn set_cookie(&self) -> Option<HeaderValue> {
        let text = format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.cookie, self.token);
        HeaderValue::from_str(&text).ok()
    }
}

/// Compares in a time that does not depend on where the difference is.
fn same(given: &str, own: &str) -> bool {
    let differences = given.bytes().zip(own.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    given.len() == own.len() && differences == 0
}

/// Lets requests through that may pass, and gives every answer its headers.
pub async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match guard.admits(request.method(), request.uri(), request.headers()) {
        Err((status, why)) => (status, format!("{why}\n")).into_response(),
        // The token leaves the address bar, and with it the history.
        Ok(()) if request.uri().path() == "/" && request.uri().query().is_some() => {
            let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, "/")]).into_response();
            if let Some(cookie) = guard.set_cookie() {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
        // Reading the body counts; a stream has answered when it begins.
        Ok(()) => match tokio::time::timeout(guard.limits.request, next.run(request)).await {
            Ok(response) => response,
            Err(_) => (StatusCode::REQUEST_TIMEOUT, "this took too long, and was given up\n").into_response(),
        },
    };
    let headers = response.headers_mut();
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::{Guard, Limits};
    use axum::http::header::{self, HeaderMap, HeaderValue};
    use axum::http::{Method, Uri};
    use std::slice::from_ref;

    fn guard(address: &str) -> Guard {
        Guard::new(
            address.parse().expect("an address"),
            "a-token-for-this-test".to_owned(),
            &Limits::default(),
        )
    }

    #[test]
    fn only_names_that_nobody_else_can_point_here_are_ours() {
        let here = guard("127.0.0.1:9080");
        for host in ["127.0.0.1:9080", "localhost:9080", "LOCALHOST:9080", "[::1]:9080", "127.0.0.2:9080"] {
            assert!(here.is_ours(host), "{host}");
        }
        for host in [
            "example.org:9080",
            "127.0.0.1",
            "127.0.0.1:80",
            "203.0.113.7:9080",
            "localhost.evil:9080",
            ":9080",
            "",
        ] {
            assert!(!here.is_ours(host), "{host}");
        }
        let open = guard("0.0.0.0:9080");
        assert!(open.is_ours("203.0.113.7:9080") && open.is_ours("localhost:9080"));
        assert!(!open.is_ours("example.org:9080"));
    }

    #[test]
    fn each_thing_that_is_missing_is_refused_with_its_own_status() {
        let guard = guard("127.0.0.1:9080");
        let ask = |method: Method, uri: &str, pairs: &[(header::HeaderName, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(name, HeaderValue::from_str(value).expect("a header"));
            }
            let uri: Uri = uri.parse().expect("an address");
            guard.admits(&method, &uri, &headers).map_err(|(status, _)| status.as_u16())
        };
        let host = (header::HOST, "localhost:9080");
        let origin = (header::ORIGIN, "http://localhost:9080");
        let cookie = (header::COOKIE, "other=1; ludex-9080=a-token-for-this-test");
        assert_eq!(ask(Method::GET, "/", from_ref(&host)), Err(401));
        assert_eq!(ask(Method::GET, "/?token=a-token-for-this-test", from_ref(&host)), Ok(()));
        assert_eq!(ask(Method::GET, "/app.js?token=a-token-for-this-test", from_ref(&host)), Err(401));
        assert_eq!(ask(Method::GET, "/?token=a-token-for-this-tesT", from_ref(&host)), Err(401));
        assert_eq!(ask(Method::GET, "/", &[host.clone(), cookie.clone()]), Ok(()));
        assert_eq!(ask(Method::GET, "/", from_ref(&cookie)), Err(421));
        assert_eq!(ask(Method::GET, "/", &[host.clone(), host.clone(), cookie.clone()]), Err(421));
        assert_eq!(ask(Method::POST, "/api/x", &[host.clone(), cookie.clone()]), Err(403));
        assert_eq!(ask(Method::POST, "/api/x", &[host.clone(), cookie.clone(), origin.clone()]), Ok(()));
        let foreign = (header::ORIGIN, "http://localhost:9081");
        assert_eq!(ask(Method::POST, "/api/x", &[host.clone(), cookie.clone(), foreign]), Err(403));
        assert_eq!(
            ask(Method::POST, "/api/x", &[host.clone(), cookie.clone(), (header::ORIGIN, "null")]),
            Err(403)
        );
        assert_eq!(ask(Method::PUT, "/api/x", &[host, cookie, origin]), Err(405));
    }
}
