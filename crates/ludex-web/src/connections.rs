//! Connections: so many at a time, and none that keeps us waiting for the head of a request.

use crate::limits::Limits;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Serves whoever connects, until the runtime ends.
pub async fn serve(listener: TcpListener, router: Router, limits: &Limits) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(64 << 10);
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return Ok(()) };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // Out of descriptors, or a connection that was gone at once: others may do better in a moment.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        // Small answers should not wait for more.
        let _ = stream.set_nodelay(true);
        let connection =
            server.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router.clone()));
        tokio::spawn(async move {
            // A connection that breaks is the visitor's affair.
            let _ = connection.await;
            drop(place);
        });
    }
}
