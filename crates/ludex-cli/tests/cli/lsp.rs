//! The language server over its wire: sessions with the real binary, expectations by hand.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// An editor that has started the server.
struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    requests: u64,
}

impl Editor {
    fn new() -> Editor {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Editor { child, input, output, requests: 0 }
    }

    /// A session in which one sheet is open; what was found in it comes back.
    fn with(text: &str) -> (Editor, Value) {
        let mut editor = Editor::new();
        let answer =
            editor.ask("initialize", json!({ "capabilities": {}, "processId": null, "rootUri": null }));
        assert_eq!(answer["capabilities"]["hoverProvider"], true);
        editor.tell("initialized", json!({}));
        let item = json!({ "uri": URI, "languageId": "gdl", "version": 1, "text": text });
        editor.tell("textDocument/didOpen", json!({ "textDocument": item }));
        let findings = editor.findings();
        (editor, findings)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("open");
        input.write_all(bytes).expect("the server reads");
        input.flush().expect("the server reads");
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.bytes(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    /// The next message of the server; nothing but messages may come.
    fn receive(&mut self) -> Value {
        let mut header = String::new();
        self.output.read_line(&mut header).expect("the server writes UTF-8");
        let length = header.trim_end().strip_prefix("Content-Length: ").expect(&header);
        let mut blank = String::new();
        self.output.read_line(&mut blank).expect("the server writes UTF-8");
        assert_eq!(blank, "\r\n");
        let mut body = vec![0; length.parse().expect("a number")];
        self.output.read_exact(&mut body).expect("as long as it says");
        let message: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(message["jsonrpc"], "2.0");
        message
    }

    fn tell(&mut self, method: &str, params: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        message["params"] = params;
        self.send(&message);
    }

    fn request(&mut self, method: &str, params: Value) -> u64 {
        self.requests += 1;
        let id = self.requests;
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        message["params"] = params;
        self.send(&message);
        id
    }

    /// The answer to a request, whole.
    fn response(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
    }

    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let response = self.response(method, params);
        response.get("result").unwrap_or_else(|| panic!("{response}")).clone()
    }

    /// A question about a place of the sheet.
    #[track_caller]
    fn at(&mut self, question: &str, line: u32, character: u32) -> Value {
        self.ask(&format!("textDocument/{question}"), place(line, character))
    }

    fn findings(&mut self) -> Value {
        loop {
            let message = self.receive();
            if message["method"] == "textDocument/publishDiagnostics" {
                return message["params"].clone();
            }
        }
    }

    fn status(mut self) -> i32 {
        self.input = None;
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest).expect("the server ends");
        assert_eq!(String::from_utf8_lossy(&rest), "", "something stands behind the last message");
        let output = self.child.wait_with_output().expect("the server ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        output.status.code().expect("no signal ended it")
    }

    fn leave(mut self) -> i32 {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        self.status()
    }
}

const URI: &str = "file:///games/counter.kif";

/// The clef has two code units: what stands behind it in the line is counted by them.
const SHEET: &str = "\
(role ann)
(init (at 0))
(succ 0 1) ; 𝄞
(<= (legal ann (step ?y)) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?y)) (does ann (step ?y)))
(<= terminal (true (at 1)))
(<= (goal ann 100) terminal)
";

fn place(line: u32, character: u32) -> Value {
    let position = json!({ "line": line, "character": character });
    json!({ "textDocument": { "uri": URI }, "position": position })
}

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
}

#[test]
fn a_session() {
    let (mut editor, findings) = Editor::with(SHEET);
    assert_eq!(findings, json!({ "uri": URI, "diagnostics": [], "version": 1 }));

    let hover = editor.at("hover", 3, 42);
    assert_eq!(hover["range"], range(3, 42, 46));
    let text = hover["contents"]["value"].as_str().expect("markdown");
    assert!(text.starts_with("relation with 2 arguments, static: the same in every state"), "{text}");
    assert!(text.contains("```gdl\n(succ 0 1)\n```"), "{text}");
    assert_eq!(editor.at("hover", 0, 0), Value::Null);

    let location = |line, from, to| json!({ "uri": URI, "range": range(line, from, to) });
    assert_eq!(editor.at("definition", 3, 43), json!([location(2, 1, 5)]));
    let step = [location(3, 16, 20), location(4, 30, 34)];
    assert_eq!(editor.at("references", 4, 31), json!(step));
    let mut params = place(4, 31);
    params["context"] = json!({ "includeDeclaration": false });
    assert_eq!(editor.ask("textDocument/references", params), json!([step[1]]));
    assert_eq!(editor.at("documentHighlight", 4, 31).as_array().map(Vec::len), Some(2));

    assert_eq!(editor.at("prepareRename", 4, 31), range(4, 30, 34));
    let mut params = place(4, 31);
    params["newName"] = json!("go");
    let edit = |line, from, to| json!({ "range": range(line, from, to), "newText": "go" });
    let renamed = editor.ask("textDocument/rename", params.clone());
    assert_eq!(renamed, json!({ "changes": { URI: [edit(3, 16, 20), edit(4, 30, 34)] } }));
    params["newName"] = json!("at");
    let refused = editor.response("textDocument/rename", params);
    assert_eq!(refused["error"]["code"], -32803);
    assert_eq!(refused["error"]["message"], "the term `at` is there already; choose another name");
    assert_eq!(editor.response("textDocument/prepareRename", place(4, 5))["error"]["code"], -32803);

    let whole = json!({ "textDocument": { "uri": URI } });
    let symbols = editor.ask("textDocument/documentSymbol", whole.clone());
    let names: Vec<&str> =
        symbols.as_array().expect("a list").iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(
        names,
        [
            "(role ann)",
            "(init (at 0))",
            "(succ 0 1)",
            "(legal ann (step ?y))",
            "(next (at ?y))",
            "terminal",
            "(goal ann 100)"
        ]
    );
    assert_eq!(symbols[2]["selectionRange"], range(2, 1, 5));

    // The first line is `role`, a keyword, and `ann`, a class that is defined there; the comment has four units.
    let tokens = editor.ask("textDocument/semanticTokens/full", whole.clone());
    let data: Vec<u64> =
        tokens["data"].as_array().expect("numbers").iter().filter_map(Value::as_u64).collect();
    assert_eq!(data[..10], [0, 1, 4, 3, 0, 0, 5, 3, 7, 1]);
    assert_eq!(data[25..45], [1, 1, 4, 4, 3, 0, 5, 1, 2, 0, 0, 2, 1, 2, 0, 0, 3, 4, 0, 0]);

    let edits = editor.ask("textDocument/formatting", whole.clone());
    assert_eq!(edits[0]["range"]["end"], json!({ "line": 7, "character": 0 }));
    let text = edits[0]["newText"].as_str().expect("a text");
    assert!(text.contains("(succ 0 1) ; 𝄞\n(<= (legal ann (step ?y))\n    (true (at ?x))\n"), "{text}");
    assert_eq!(editor.ask("textDocument/foldingRange", whole), json!([]));

    // Inside the name of `(true (at ?x))`: all of it is replaced.
    let list = editor.at("completion", 3, 34);
    assert_eq!(list[0]["label"], "at");
    assert_eq!(list[0]["textEdit"], json!({ "range": range(3, 33, 35), "newText": "at" }));
    let signature = editor.at("signatureHelp", 3, 50);
    assert_eq!(signature["activeParameter"], 1);
    assert_eq!(editor.leave(), 0);
}

#[test]
fn findings_follow_the_typing_at_the_places_of_check() {
    let (mut editor, _) = Editor::with(SHEET);
    // `(at 0)` becomes `(at ?z)`, behind a clef typed into the same line: the variable is bound by nothing.
    let change = |line, from, to, text: &str| json!({ "range": range(line, from, to), "text": text });
    let changes = json!([change(1, 10, 11, "?z"), change(1, 0, 0, "(𝄞 1) ")]);
    let document = json!({ "uri": URI, "version": 2 });
    editor.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    let findings = editor.findings();
    assert_eq!(findings["version"], 2);
    let finding = &findings["diagnostics"][0];
    assert_eq!(finding["code"], "unsafe-variable");
    assert_eq!(finding["severity"], 1);
    // Seven code units more in front.
    assert_eq!(finding["range"], range(1, 17, 19));
    // The command counts characters from one, and sees the same place.
    let text = SHEET.replace("(init (at 0))", "(𝄞 1) (init (at ?z))");
    let checked = crate::ludex_with_input(&["check", "-", "--json"], text.as_bytes()).ends_with(1).json();
    let error = &checked[0]["errors"][0];
    assert_eq!(
        (&error["line"], &error["column"], &error["code"]),
        (&json!(2), &json!(17), &json!("unsafe-variable"))
    );
    // The whole text at once mends it.
    let changes = json!([{ "text": SHEET }]);
    let document = json!({ "uri": URI, "version": 3 });
    editor.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    assert_eq!(editor.findings(), json!({ "uri": URI, "diagnostics": [], "version": 3 }));
    // What is closed has no findings, and no answers.
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(editor.findings(), json!({ "uri": URI, "diagnostics": [] }));
    assert_eq!(editor.response("textDocument/hover", place(0, 1))["error"]["code"], -32602);
    assert_eq!(editor.leave(), 0);
}

#[test]
fn what_is_malformed_is_answered_and_survived() {
    let (mut editor, _) = Editor::with(SHEET);
    for bad in [&b"Content-Length: 4\r\n\r\n{ab}"[..], b"Content-Length: -7\r\n\r\n", b"nonsense\r\n\r\n"] {
        editor.bytes(bad);
        let answer = editor.receive();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)), "{answer}");
    }
    for (message, code) in [
        (json!([1, 2]), -32600),
        (json!({ "id": 7 }), -32600),
        (json!({ "id": 7, "method": 7 }), -32600),
        (json!({ "id": 7, "method": "textDocument/unheardOf" }), -32601),
        (json!({ "id": 7, "method": "textDocument/hover" }), -32602),
        (json!({ "id": 7, "method": "textDocument/hover", "params": [] }), -32602),
        (json!({ "id": 7, "method": "initialize", "params": {} }), -32600),
    ] {
        editor.send(&message);
        assert_eq!(editor.receive()["error"]["code"], code, "{message}");
    }
    // Nobody asked these; a notification that makes no sense is told to the log.
    editor.send(&json!({ "id": 9, "result": null }));
    editor.tell("$/somethingNew", json!({}));
    editor.tell("textDocument/didChange", json!({ "contentChanges": "none" }));
    assert_eq!(editor.receive()["method"], "window/logMessage");
    // A place beyond the text is its end.
    assert_eq!(editor.at("hover", 4_000_000_000, 4_000_000_000), Value::Null);
    assert_eq!(editor.leave(), 0);
}

#[test]
fn sessions_begin_and_end_as_the_protocol_says() {
    let mut editor = Editor::new();
    assert_eq!(editor.response("textDocument/hover", place(0, 0))["error"]["code"], -32002);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.status(), 1);

    let (mut editor, _) = Editor::with(SHEET);
    editor.ask("shutdown", Value::Null);
    assert_eq!(editor.response("textDocument/hover", place(0, 0))["error"]["code"], -32600);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.status(), 0);

    // The editor dies.
    assert_eq!(Editor::new().status(), 1);
    assert_eq!(Editor::with(SHEET).0.status(), 1);
}

#[test]
fn requests_can_be_cancelled() {
    let (mut editor, _) = Editor::with(SHEET);
    // In one piece, so that all of it waits: each request is answered once, cancelled or not.
    let mut all = Vec::new();
    for id in 100..140 {
        let messages = [
            json!({ "jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": place(3, 42) }),
            json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": id } }),
        ];
        for message in messages {
            let text = message.to_string();
            all.extend(format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes());
        }
    }
    editor.bytes(&all);
    let mut answered: Vec<u64> = Vec::new();
    for _ in 100..140 {
        let message = editor.receive();
        let code = &message["error"]["code"];
        assert!(code.is_null() || *code == -32800, "{message}");
        answered.extend(message["id"].as_u64());
    }
    answered.sort_unstable();
    assert_eq!(answered, (100..140).collect::<Vec<u64>>());
    // One that is not there is nothing to cancel.
    editor.tell("$/cancelRequest", json!({ "id": 12345 }));
    assert_eq!(editor.leave(), 0);
}
