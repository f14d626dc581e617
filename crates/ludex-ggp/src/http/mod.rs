//! As much HTTP as the protocol needs, on the standard library's sockets and threads.
//!
//! GGP speaks HTTP/1.0: one message a connection, answered and closed, some of them without the headers
//! that HTTP/1.1 demands; a player serves one manager at a time. A general server brings keep-alive,
//! pipelining, an executor and some fifty crates, and would have to be told not to use most of it, so this is
//! a hundred lines each of [`server`] and [`client`] instead. What they owe to a hostile world is bounds: a time
//! for each request as a whole, sizes of head and body, and a number of connections, of which the ones that
//! have been silent longest make room.

pub mod client;
pub mod server;

mod stream;
