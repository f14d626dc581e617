//! The page `docs/json.md`, made from the schema: one table a kind of line.

use super::schema::{is_required, types};
use serde_json::{Map, Value};
use std::fmt::Write;

const HEAD: &str = "\
# JSON

Every command with `--json` prints one object a line. This page lists all keys; it is made from
[json-schema.json](json-schema.json), which the tests hold against what each command prints
(`UPDATE_EXPECT=1 cargo test --release -p ludex-cli json` makes the page anew). Keys that are listed stay as they
are; others may be added. A key in parentheses is not on every line. Moves, fluents and roles are text in the
spelling of the rules, as KIF: `(mark 1 1)`.
";

/// The page for a schema.
pub fn of(schema: &Value) -> String {
    let mut out = HEAD.to_owned();
    for (name, lines) in schema["$defs"].as_object().expect("definitions") {
        let description = lines["description"].as_str().expect("every kind of line has a description");
        let _ = write!(out, "\n## {name}\n\n{description}\n\n| key | type | meaning |\n|---|---|---|\n");
        rows(lines.as_object().expect("an object"), "", &mut out);
    }
    out
}

fn rows(object: &Map<String, Value>, prefix: &str, out: &mut String) {
    for (key, demand) in object["properties"].as_object().expect("keys") {
        let shown = format!("`{prefix}{key}`");
        let shown = if is_required(object, key) { shown } else { format!("({shown})") };
        let mut meaning = demand["description"].as_str().expect("every key has a description").to_owned();
        if let Some(values) = demand.get("enum").and_then(Value::as_array) {
            let words: Vec<String> =
                values.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
            let _ = write!(meaning, ": {}", words.join(", "));
        }
        let _ = writeln!(out, "| {shown} | {} | {meaning} |", kind(demand));
        let inner = [("items", "[]."), ("additionalProperties", ".*.")];
        let inner = inner.iter().find_map(|(word, mark)| Some((demand.get(word)?, *mark)));
        let (inner, mark) = inner.filter(|(inner, _)| inner.is_object()).unwrap_or((demand, "."));
        if let Some(inner) = inner.as_object().filter(|inner| inner.contains_key("properties")) {
            rows(inner, &format!("{prefix}{key}{mark}"), out);
        }
    }
}

/// The type in words.
fn kind(demand: &Value) -> String {
    let names = types(&demand["type"]).into_iter().map(|name| match name {
        "array" => {
            demand.get("items").map_or("list".to_owned(), |items| format!("list of {}", plural(&kind(items))))
        }
        "object" => match demand.get("additionalProperties").filter(|values| values.is_object()) {
            Some(values) => format!("by role: {}", kind(values)),
            None => "object".to_owned(),
        },
        "null" => "`null`".to_owned(),
        other => other.to_owned(),
    });
    names.collect::<Vec<_>>().join(" or ")
}

fn plural(kind: &str) -> String {
    match kind.strip_prefix("list") {
        Some(rest) => format!("lists{rest}"),
        None => format!("{kind}s"),
    }
}
