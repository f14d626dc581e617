//! A language service and a language server for the Game Description Language.
//!
//! ```
//! use ludex_lsp::service::Document;
//!
//! let document = Document::new("(role x) (init (cell 1 b))\n(<= (next (cell ?c b)) (true (cell ?c b)))");
//! let hover = document.hover(16).expect("a name stands there");
//! assert_eq!(hover.lines[0], "fluent with 2 arguments");
//! assert_eq!(document.references(16).len(), 3);
//! ```
//!
//! [`service`] answers questions about a text, which may be broken: what is wrong with it, what a name is, where it
//! is defined and used, what could be typed here. It knows offsets and no protocol, so that a page can use it as well
//! as an editor. `server`, behind the feature of that name, is the wire: the Language Server Protocol over two streams.
//!
//! Nothing here evaluates rules: what a name is follows from where it stands, and everything else from the
//! analyses of `ludex-gdl`.

#![forbid(unsafe_code)]

#[cfg(feature = "server")]
pub mod server;
pub mod service;
