//! What could not be done, as an answer: a status and a sentence that says what to do.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Why a request is not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The status of the response.
    pub status: StatusCode,
    /// In words.
    pub why: String,
}

impl Refusal {
    /// A refusal with this status.
    pub fn new(status: StatusCode, why: impl Into<String>) -> Refusal {
        Refusal { status, why: why.into() }
    }

    /// The request makes no sense.
    pub fn bad(why: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, why)
    }

    /// What was asked for is not there.
    pub fn missing(why: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, why)
    }

    /// It does not fit what is there now: somebody else was quicker.
    pub fn conflict(why: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::CONFLICT, why)
    }

    /// A limit was met.
    pub fn full(why: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::TOO_MANY_REQUESTS, why)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.why }))).into_response()
    }
}
