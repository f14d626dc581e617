//! Answers of the service in the words of the protocol.

use crate::service::{Colour, Document, Edit, FoldKind, Sort, Symbol};
use ludex_gdl::syntax::Span;
use ludex_gdl::{Diagnostic, Severity};
use serde_json::{Value, json};

/// The kinds of tokens, in the order in which [`tokens`] numbers them.
const TOKEN_TYPES: [&str; 11] = [
    "comment",
    "operator",
    "number",
    "keyword",
    "function",
    "property",
    "method",
    "class",
    "variable",
    "struct",
    "enumMember",
];

const TOKEN_MODIFIERS: [&str; 2] = ["definition", "static"];

/// What the server can do.
pub(super) fn capabilities() -> Value {
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": { "openClose": true, "change": 2 },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "renameProvider": { "prepareProvider": true },
        "documentSymbolProvider": true,
        "foldingRangeProvider": true,
        "documentFormattingProvider": true,
        "completionProvider": { "triggerCharacters": ["(", "?"] },
        "signatureHelpProvider": { "triggerCharacters": [" ", "(", ","] },
        "semanticTokensProvider": {
            "legend": { "tokenTypes": TOKEN_TYPES, "tokenModifiers": TOKEN_MODIFIERS },
            "full": true,
        },
    })
}

pub(super) fn range(document: &Document, span: Span) -> Value {
    let place = |offset: u32| {
        let position = document.position(offset as usize);
        json!({ "line": position.line, "character": position.character })
    };
    json!({ "start": place(span.start), "end": place(span.end) })
}

pub(super) fn locations(document: &Document, uri: &str, spans: &[Span]) -> Value {
    spans.iter().map(|&span| json!({ "uri": uri, "range": range(document, span) })).collect()
}

pub(super) fn highlights(document: &Document, spans: &[Span]) -> Value {
    spans.iter().map(|&span| json!({ "range": range(document, span) })).collect()
}

pub(super) fn diagnostics(document: &Document, uri: &str) -> Value {
    document.diagnostics().iter().map(|finding| diagnostic(document, uri, finding)).collect()
}

fn diagnostic(document: &Document, uri: &str, finding: &Diagnostic) -> Value {
    let hint = finding.hint.as_ref().map_or_else(String::new, |hint| format!("\n{hint}"));
    let mut value = json!({
        "range": range(document, finding.span),
        "severity": match finding.severity() {
            Severity::Error => 1,
            Severity::Warning => 2,
        },
        "code": finding.code.name(),
        "source": "ludex",
        "message": format!("{}{hint}", finding.message),
    });
    if let Some((span, label)) = &finding.related {
        let location = json!({ "uri": uri, "range": range(document, *span) });
        value["relatedInformation"] = json!([{ "location": location, "message": label }]);
    }
    value
}

pub(super) fn hover(document: &Document, offset: usize) -> Value {
    document.hover(offset).map_or(Value::Null, |hover| {
        let contents = json!({ "kind": "markdown", "value": hover.markdown() });
        json!({ "contents": contents, "range": range(document, hover.span) })
    })
}

pub(super) fn edits(document: &Document, edits: &[Edit]) -> Value {
    edits.iter().map(|edit| json!({ "range": range(document, edit.span), "newText": edit.text })).collect()
}

pub(super) fn symbols(document: &Document, symbols: &[Symbol]) -> Value {
    let one = |symbol: &Symbol| {
        json!({
            // A name must not be empty.
            "name": if symbol.name.trim().is_empty() { "clause" } else { &symbol.name },
            "detail": symbol.detail,
            "kind": if symbol.sort == Sort::Keyword { 20 } else { 12 },
            "range": range(document, symbol.span),
            "selectionRange": range(document, symbol.name_span),
            "children": self::symbols(document, &symbol.clauses),
        })
    };
    symbols.iter().map(one).collect()
}

/// Five numbers a token: lines and code units since the last one, length, kind, properties.
pub(super) fn tokens(document: &Document) -> Value {
    let mut data: Vec<u32> = Vec::new();
    let (mut line, mut character) = (0, 0);
    for token in document.colours() {
        let start = document.position(token.span.start as usize);
        let length = document.utf16(token.span.end as usize) - document.utf16(token.span.start as usize);
        let kind = match token.colour {
            Colour::Comment => 0,
            Colour::Operator => 1,
            Colour::Number => 2,
            Colour::Name(Sort::Keyword) => 3,
            Colour::Name(Sort::Relation) => 4,
            Colour::Name(Sort::Fluent) => 5,
            Colour::Name(Sort::Move) => 6,
            Colour::Name(Sort::Role) => 7,
            Colour::Name(Sort::Variable) => 8,
            Colour::Name(Sort::Function) => 9,
            Colour::Name(Sort::Constant) => 10,
        };
        let before = if start.line == line { character } else { 0 };
        let properties = u32::from(token.defines) | u32::from(token.is_static) << 1;
        data.extend([start.line - line, start.character - before, length as u32, kind, properties]);
        (line, character) = (start.line, start.character);
    }
    json!({ "data": data })
}

pub(super) fn folds(document: &Document) -> Value {
    let one = |fold: crate::service::Fold| {
        let kind = match fold.kind {
            FoldKind::Clause => "region",
            FoldKind::Comment => "comment",
        };
        json!({ "startLine": fold.first, "endLine": fold.last, "kind": kind })
    };
    document.folds().into_iter().map(one).collect()
}

pub(super) fn completions(document: &Document, offset: usize) -> Value {
    let kind = |sort: Sort| match sort {
        Sort::Keyword => 14,
        Sort::Relation => 3,
        Sort::Fluent => 10,
        Sort::Move => 2,
        Sort::Role => 7,
        Sort::Variable => 6,
        Sort::Function => 22,
        Sort::Constant => 20,
    };
    let list = document.completions(offset);
    let one = |(number, item): (usize, &crate::service::Completion)| {
        json!({
            "label": item.label,
            "kind": kind(item.sort),
            "detail": item.detail,
            // The order of the service, whatever the labels are.
            "sortText": format!("{number:04}"),
            "textEdit": { "range": range(document, item.edit.span), "newText": item.edit.text },
        })
    };
    list.iter().enumerate().map(one).collect()
}

pub(super) fn signature(document: &Document, offset: usize) -> Value {
    document.signature(offset).map_or(Value::Null, |signature| {
        let units = |offset: u32| signature.label[..offset as usize].encode_utf16().count();
        let arguments: Vec<Value> = signature
            .arguments
            .iter()
            .map(|span| json!({ "label": [units(span.start), units(span.end)] }))
            .collect();
        json!({
            "signatures": [{ "label": signature.label, "parameters": arguments }],
            "activeSignature": 0,
            "activeParameter": signature.active,
        })
    })
}
