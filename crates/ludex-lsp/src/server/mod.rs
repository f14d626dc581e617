//! The Language Server Protocol over two streams.
//!
//! One thread reads, one answers. What the reader has queued is looked at before anything is answered, so that a
//! request that was cancelled is not worked on, and a text that was changed many times is read and checked
//! once. Nothing the other side sends ends the server but `exit` and the end of the stream: what is malformed is
//! answered with an error or passed over.

mod answers;
mod wire;

use crate::service::position::Positions;
use crate::service::{Document, Edit, Position};
use ludex_gdl::syntax::Span;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use wire::{ErrorCode, Incoming};

/// Messages that wait while one is answered; then the other side waits.
const MOST_WAITING: usize = 64;

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `exit` came behind `shutdown`, as the protocol wants.
    Orderly,
    /// `exit` came, or the stream ended, without `shutdown`.
    Abrupt,
}

/// Answers what comes from `input` on `output`, up to `exit` or the end of the stream.
pub fn serve(mut input: impl BufRead + Send + 'static, output: &mut dyn Write) -> io::Result<End> {
    let (sender, receiver) = sync_channel(MOST_WAITING);
    // Not joined: it may wait for input that never comes when the session is over.
    std::thread::spawn(move || {
        loop {
            let incoming = wire::read(&mut input).unwrap_or(Incoming::End);
            let is_last = incoming == Incoming::End
                || matches!(&incoming, Incoming::Message(message) if message["method"] == "exit");
            if sender.send(incoming).is_err() || is_last {
                return;
            }
        }
    });
    Session { output, files: HashMap::new(), phase: Phase::New, unpublished: Vec::new() }.run(&receiver)
}

/// How far the life of a session has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Running,
    ShutDown,
}

/// A text that an editor has open.
struct File {
    text: String,
    version: Value,
    /// The text as it was read last, if it has not changed since.
    document: Option<Document>,
}

struct Session<'o> {
    output: &'o mut dyn Write,
    files: HashMap<String, File>,
    phase: Phase,
    /// Texts whose findings the other side does not have yet.
    unpublished: Vec<String>,
}

/// A refusal: the code and the reason.
type Refusal = (ErrorCode, String);

impl Session<'_> {
    fn run(mut self, receiver: &Receiver<Incoming>) -> io::Result<End> {
        let mut waiting: VecDeque<Value> = VecDeque::new();
        let mut ended = false;
        loop {
            // Everything that is there already, and where there is nothing to do, the next that comes.
            while !ended && waiting.len() < MOST_WAITING {
                let incoming = match receiver.try_recv() {
                    Ok(incoming) => incoming,
                    Err(TryRecvError::Disconnected) => Incoming::End,
                    Err(TryRecvError::Empty) if !waiting.is_empty() => break,
                    Err(TryRecvError::Empty) => {
                        self.publish()?;
                        receiver.recv().unwrap_or(Incoming::End)
                    }
                };
                match incoming {
                    Incoming::Message(message) if message["method"] == "$/cancelRequest" => {
                        self.cancel(&message["params"]["id"], &mut waiting)?;
                    }
                    Incoming::Message(message) => waiting.push_back(message),
                    Incoming::Malformed(reason) => {
                        self.send(&wire::error(&Value::Null, ErrorCode::Parse, &reason))?;
                    }
                    Incoming::End => ended = true,
                }
            }
            let Some(message) = waiting.pop_front() else { return Ok(End::Abrupt) };
            if message["method"] == "exit" {
                return Ok(if self.phase == Phase::ShutDown { End::Orderly } else { End::Abrupt });
            }
            self.message(&message)?;
        }
    }

    fn send(&mut self, message: &Value) -> io::Result<()> {
        wire::write(self.output, message)
    }

    /// Answers a waiting request that nobody wants any more.
    fn cancel(&mut self, id: &Value, waiting: &mut VecDeque<Value>) -> io::Result<()> {
        let found = waiting.iter().position(|message| is_request(message) && message["id"] == *id);
        match found.and_then(|at| waiting.remove(at)) {
            Some(request) => self.send(&wire::error(&request["id"], ErrorCode::Cancelled, "cancelled")),
            None => Ok(()),
        }
    }

    fn message(&mut self, message: &Value) -> io::Result<()> {
        let params = &message["params"];
        match (message["method"].as_str(), is_request(message)) {
            (Some(method), true) => {
                let id = &message["id"];
                let answer = match self.request(method, params) {
                    Ok(result) => wire::result(id, &result),
                    Err((code, reason)) => wire::error(id, code, &reason),
                };
                self.send(&answer)
            }
            (Some(method), false) => self.notification(method, params),
            // An answer to something that was never asked.
            (None, _) if message.get("result").is_some() || message.get("error").is_some() => Ok(()),
            (None, _) => {
                let reason = "neither a request nor a notification: there is no method";
                let id = message.get("id").unwrap_or(&Value::Null);
                self.send(&wire::error(id, ErrorCode::InvalidRequest, reason))
            }
        }
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, Refusal> {
        match (self.phase, method) {
            (Phase::New, "initialize") => {
                self.phase = Phase::Running;
                let version = env!("CARGO_PKG_VERSION");
                let info = json!({ "name": "ludex", "version": version });
                return Ok(json!({ "capabilities": answers::capabilities(), "serverInfo": info }));
            }
            (Phase::New, _) => {
                return Err((ErrorCode::NotInitialized, "`initialize` comes first".to_owned()));
            }
            (Phase::ShutDown, _) => {
                return Err((ErrorCode::InvalidRequest, "nothing is answered behind `shutdown`".to_owned()));
            }
            (Phase::Running, "initialize") => {
                return Err((ErrorCode::InvalidRequest, "`initialize` comes once".to_owned()));
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                return Ok(Value::Null);
            }
            (Phase::Running, _) => {}
        }
        let Some(question) = method.strip_prefix("textDocument/").filter(|name| QUESTIONS.contains(name))
        else {
            return Err((ErrorCode::MethodNotFound, format!("`{method}` is not known here")));
        };
        let uri = text_of(&params["textDocument"]["uri"])?;
        let file = self
            .files
            .get_mut(uri)
            .ok_or_else(|| (ErrorCode::InvalidParams, format!("`{uri}` is not open")))?;
        answer(question, uri, file.document(), params)
    }

    fn notification(&mut self, method: &str, params: &Value) -> io::Result<()> {
        if self.phase != Phase::Running {
            return Ok(());
        }
        let done = match method {
            "textDocument/didOpen" => self.open(&params["textDocument"]),
            "textDocument/didChange" => self.change(params),
            "textDocument/didClose" => return self.close(params),
            _ => Ok(()),
        };
        match done {
            Ok(()) => Ok(()),
            // A notification has no answer; the editor's log takes the reason.
            Err((_, reason)) => {
                let params = json!({ "type": 1, "message": format!("{method}: {reason}") });
                self.send(&wire::notification("window/logMessage", &params))
            }
        }
    }

    fn open(&mut self, item: &Value) -> Result<(), Refusal> {
        let (uri, text) = (text_of(&item["uri"])?, text_of(&item["text"])?);
        let file = File { text: text.to_owned(), version: item["version"].clone(), document: None };
        self.files.insert(uri.to_owned(), file);
        self.mark(uri);
        Ok(())
    }

    /// All changes of a notification, or none.
    fn change(&mut self, params: &Value) -> Result<(), Refusal> {
        let uri = text_of(&params["textDocument"]["uri"])?;
        let file = self
            .files
            .get_mut(uri)
            .ok_or_else(|| (ErrorCode::InvalidParams, format!("`{uri}` is not open")))?;
        let mut text = file.text.clone();
        for change in params["contentChanges"].as_array().into_iter().flatten() {
            let new = text_of(&change["text"])?;
            match change.get("range") {
                None => new.clone_into(&mut text),
                Some(range) => {
                    let positions = Positions::of(&text);
                    let start = positions.offset(&text, position_of(&range["start"])?);
                    let end = positions.offset(&text, position_of(&range["end"])?);
                    text.replace_range(start.min(end)..end.max(start), new);
                }
            }
        }
        *file = File { text, version: params["textDocument"]["version"].clone(), document: None };
        self.mark(uri);
        Ok(())
    }

    fn close(&mut self, params: &Value) -> io::Result<()> {
        let Some(uri) = params["textDocument"]["uri"].as_str() else { return Ok(()) };
        self.unpublished.retain(|other| other != uri);
        if self.files.remove(uri).is_none() {
            return Ok(());
        }
        // What is closed has no findings to show.
        let params = json!({ "uri": uri, "diagnostics": [] });
        self.send(&wire::notification("textDocument/publishDiagnostics", &params))
    }

    fn mark(&mut self, uri: &str) {
        if !self.unpublished.iter().any(|other| other == uri) {
            self.unpublished.push(uri.to_owned());
        }
    }

    /// Sends the findings of every text that has changed.
    fn publish(&mut self) -> io::Result<()> {
        for uri in std::mem::take(&mut self.unpublished) {
            let Some(file) = self.files.get_mut(&uri) else { continue };
            let mut params =
                json!({ "uri": uri, "diagnostics": answers::diagnostics(file.document(), &uri) });
            if file.version.is_i64() {
                params["version"] = file.version.clone();
            }
            self.send(&wire::notification("textDocument/publishDiagnostics", &params))?;
        }
        Ok(())
    }
}

impl File {
    fn document(&mut self) -> &Document {
        self.document.get_or_insert_with(|| Document::new(self.text.as_str()))
    }
}

/// What can be asked about a text.
const QUESTIONS: [&str; 12] = [
    "hover",
    "definition",
    "references",
    "documentHighlight",
    "prepareRename",
    "rename",
    "documentSymbol",
    "semanticTokens/full",
    "foldingRange",
    "formatting",
    "completion",
    "signatureHelp",
];

/// Answers one of [`QUESTIONS`].
fn answer(question: &str, uri: &str, document: &Document, params: &Value) -> Result<Value, Refusal> {
    let failed = |reason: String| (ErrorCode::RequestFailed, reason);
    // Questions about the whole text come first: they have no place.
    match question {
        "documentSymbol" => return Ok(answers::symbols(document, &document.symbols())),
        "semanticTokens/full" => return Ok(answers::tokens(document)),
        "foldingRange" => return Ok(answers::folds(document)),
        "formatting" => {
            let text = document.format().map_err(|error| failed(error.to_string()))?;
            let whole = Edit { span: Span::new(0, document.text().len()), text };
            let edits = if whole.text == document.text() { Vec::new() } else { vec![whole] };
            return Ok(answers::edits(document, &edits));
        }
        _ => {}
    }
    let offset = document.offset(position_of(&params["position"])?);
    Ok(match question {
        "hover" => answers::hover(document, offset),
        "definition" => answers::locations(document, uri, &document.definitions(offset)),
        "references" => {
            let mut spans = document.references(offset);
            if params["context"]["includeDeclaration"] == false {
                let definitions = document.definitions(offset);
                spans.retain(|span| definitions.binary_search(span).is_err());
            }
            answers::locations(document, uri, &spans)
        }
        "documentHighlight" => answers::highlights(document, &document.references(offset)),
        "prepareRename" => {
            let span = document.renameable(offset).map_err(|error| failed(error.to_string()))?;
            answers::range(document, span)
        }
        "rename" => {
            let name = text_of(&params["newName"])?;
            let edits = document.rename(offset, name).map_err(|error| failed(error.to_string()))?;
            json!({ "changes": { uri: answers::edits(document, &edits) } })
        }
        "completion" => answers::completions(document, offset),
        "signatureHelp" => answers::signature(document, offset),
        _ => return Err((ErrorCode::MethodNotFound, format!("`{question}` is not known here"))),
    })
}

fn is_request(message: &Value) -> bool {
    matches!(message.get("id"), Some(Value::String(_) | Value::Number(_))) && message.get("method").is_some()
}

fn text_of(value: &Value) -> Result<&str, Refusal> {
    value.as_str().ok_or_else(|| (ErrorCode::InvalidParams, "a text is missing, or is no text".to_owned()))
}

fn position_of(value: &Value) -> Result<Position, Refusal> {
    let part = |name: &str| value[name].as_u64().map(|number| u32::try_from(number).unwrap_or(u32::MAX));
    match (part("line"), part("character")) {
        (Some(line), Some(character)) => Ok(Position { line, character }),
        _ => Err((ErrorCode::InvalidParams, "a position has a `line` and a `character`".to_owned())),
    }
}
