//! What streams to a page: its matches as they change, and what the engine thinks of them.
//!
//! One stream serves all matches that a browser shows. Each event is the whole of what it tells, so a page that missed
//! some needs only the last.

use crate::Server;
use crate::live::Live;
use crate::refusal::Refusal;
use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc;

/// Matches that one stream shows.
const MOST_MATCHES: usize = 64;

/// A sign of life, so that a page that is gone is noticed.
const HEARTBEAT: Duration = Duration::from_secs(15);

struct Events(mpsc::Receiver<String>);

impl Stream for Events {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(|text| Ok(Bytes::from(text))))
    }
}

/// A page that looks at a match, as long as it lives.
struct Watching(Arc<Live>);

impl Watching {
    fn new(live: Arc<Live>) -> Watching {
        live.watchers.fetch_add(1, Ordering::Relaxed);
        Watching(live)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.watchers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The stream of these matches. Those that are not there are told to be gone.
pub async fn open(server: Arc<Server>, ids: Vec<String>) -> Result<Response, Refusal> {
    if ids.len() > MOST_MATCHES {
        return Err(Refusal::full(format!("a stream shows {MOST_MATCHES} matches at most")));
    }
    let place = server.streams.clone().try_acquire_owned();
    let place = place.map_err(|_| Refusal::full("too many pages are open; close some"))?;
    let (sender, receiver) = mpsc::channel(8);
    let place = Arc::new(place);
    for id in ids {
        let (server, sender, place) = (server.clone(), sender.clone(), place.clone());
        tokio::spawn(async move {
            let _place = place;
            follow(&server, &id, &sender).await;
        });
    }
    let alive = sender;
    tokio::spawn(async move {
        let _place = place;
        while alive.send(": alive\n\n".to_owned()).await.is_ok() {
            tokio::select! {
                () = tokio::time::sleep(HEARTBEAT) => {}
                () = alive.closed() => break,
            }
        }
    });
    Ok(([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(Events(receiver))).into_response())
}

/// Tells of one match until nobody listens or it is gone.
async fn follow(server: &Arc<Server>, id: &str, sender: &mpsc::Sender<String>) {
    let (asked, name) = (server.clone(), id.to_owned());
    let found = tokio::task::spawn_blocking(move || asked.matches.get(&name, &asked.catalogue)).await;
    let Ok(Ok(live)) = found else {
        let _ = sender.send(event("gone", &json!({ "id": id }))).await;
        return;
    };
    let watching = Watching::new(live.clone());
    let mut changed = live.changed.subscribe();
    let mut thought = live.thought.subscribe();
    changed.mark_changed();
    loop {
        let told = tokio::select! {
            alive = changed.changed() => {
                if alive.is_err() {
                    break;
                }
                changed.mark_unchanged();
                server.think(&live);
                let shown = live.clone();
                match tokio::task::spawn_blocking(move || shown.page()).await {
                    Ok(Ok(page)) => event("match", &page),
                    Ok(Err(refusal)) => event("gone", &json!({ "id": id, "why": refusal.why })),
                    Err(_) => break,
                }
            }
            alive = thought.changed() => {
                if alive.is_err() {
                    break;
                }
                let told = thought.borrow_and_update().clone();
                event("thought", &json!({ "id": id, "thought": *told }))
            }
            () = sender.closed() => break,
        };
        if sender.send(told).await.is_err() {
            break;
        }
    }
    drop(watching);
}

fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}
