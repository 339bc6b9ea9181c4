//! The server of the page: on the loopback interface, for one user.
//!
//! Other programs and pages on the machine must not use it: the address has a random token, requests must name this host
//! and come from the page itself, and nothing changes by a request. The page and the questions of its script are all that is
//! answered.

use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr};

use dally_trace::{Explain, json};
use serde::Serialize;
use tiny_http::{Header, Method, Request, Response};

use crate::Explorer;
use crate::view::WalkPath;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// The most bytes of a question.
const LONGEST: u64 = 4 << 20;

/// A server that listens, and answers nothing yet.
pub struct Server {
    http: tiny_http::Server,
    address: SocketAddr,
    token: String,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The token stays out of logs.
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

/// An answer: a status, the type of its text, and the text.
struct Answer {
    status: u16,
    kind: &'static str,
    text: String,
}

impl Answer {
    fn refuse(status: u16, why: &str) -> Self {
        Answer { status, kind: "text/plain; charset=utf-8", text: format!("{why}\n") }
    }

    fn json(status: u16, value: &impl Serialize) -> Self {
        // Views have only string keys and finite numbers, so that serialisation cannot fail.
        let text = serde_json::to_string(value).unwrap_or_default();
        Answer { status, kind: "application/json", text }
    }
}

impl Server {
    /// Listens on 127.0.0.1, at this port; 0 stands for any free one.
    pub fn bind(port: u16) -> std::io::Result<Self> {
        let mut token = [0_u8; 16];
        getrandom::fill(&mut token).map_err(|error| std::io::Error::other(error.to_string()))?;
        let token = token.iter().map(|byte| format!("{byte:02x}")).collect();
        let http = tiny_http::Server::http(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        let http = http.map_err(std::io::Error::other)?;
        let address = http.server_addr().to_ip().ok_or_else(|| std::io::Error::other("no address"))?;
        Ok(Server { http, address, token })
    }

    /// The address of the page.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// Answers requests until the process ends, or waiting for them fails.
    pub fn serve<P: Explain>(&self, explorer: &Explorer<'_, P>) -> std::io::Result<()> {
        loop {
            let mut request = self.http.recv()?;
            let answer = self.answer(explorer, &mut request);
            let mut response = Response::from_string(answer.text).with_status_code(answer.status);
            for (name, value) in [
                ("Content-Type", answer.kind),
                ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"),
                ("Cache-Control", "no-store"),
                ("Cross-Origin-Resource-Policy", "same-origin"),
            ] {
                if let Ok(header) = Header::from_bytes(name, value) {
                    response.add_header(header);
                }
            }
            // The browser may be gone.
            let _ = request.respond(response);
        }
    }

    fn answer<P: Explain>(&self, explorer: &Explorer<'_, P>, request: &mut Request) -> Answer {
        if let Some(why) = self.is_foreign(request) {
            return Answer::refuse(403, why);
        }
        let path = request.url().strip_prefix('/').and_then(|path| path.split_once('/'));
        let Some((_, question)) = path.filter(|(token, _)| *token == self.token) else {
            return Answer::refuse(404, "not found: the address is the one that dally has printed");
        };
        let question = question.to_owned();
        match (request.method(), &*question) {
            (Method::Get, "") => self.page(),
            (Method::Post, "view" | "find" | "trace") => ask(explorer, &question, request),
            (_, "" | "view" | "find" | "trace") => Answer::refuse(405, "another method is needed"),
            _ => Answer::refuse(404, "not found"),
        }
    }

    /// Why a request does not come from the page, if so. A page of another site has another origin, and one that has
    /// rebound its name to this address names its own host.
    fn is_foreign(&self, request: &Request) -> Option<&'static str> {
        let value = |name: &'static str| {
            let header = request.headers().iter().find(|header| header.field.equiv(name));
            header.map(|header| header.value.as_str())
        };
        let (host, port) = (self.address.to_string(), self.address.port());
        let is_here = |name: &str| name == host || name == format!("localhost:{port}");
        if !value("Host").is_some_and(is_here) {
            return Some("the request names another host");
        }
        let is_own = |origin: &str| origin.strip_prefix("http://").is_some_and(is_here);
        if value("Origin").is_some_and(|origin| !is_own(origin)) {
            return Some("the request comes from another page");
        }
        // A form of another site cannot send JSON without being asked for permission first.
        let is_json = value("Content-Type").is_some_and(|kind| kind.starts_with("application/json"));
        (*request.method() == Method::Post && !is_json).then_some("a question is JSON")
    }

    fn page(&self) -> Answer {
        // The token is random, and in no text of the page.
        let page = PAGE.replace("@NONCE@", &self.token).replace("@STYLE@", STYLE).replace("@SCRIPT@", SCRIPT);
        Answer { status: 200, kind: "text/html; charset=utf-8", text: page }
    }
}

/// Answers a question about a path.
fn ask<P: Explain>(explorer: &Explorer<'_, P>, question: &str, request: &mut Request) -> Answer {
    let mut body = Vec::new();
    match request.as_reader().take(LONGEST + 1).read_to_end(&mut body) {
        Ok(_) if body.len() as u64 <= LONGEST => {}
        Ok(_) => return Answer::refuse(413, "the question is too long"),
        Err(_) => return Answer::refuse(400, "the question cannot be read"),
    }
    let path: WalkPath = match serde_json::from_slice(&body) {
        Ok(path) => path,
        Err(error) => return Answer::refuse(400, &format!("not a path: {error}")),
    };
    let answer = match question {
        "view" => explorer.view(&path).map(|view| Answer::json(200, &view)),
        "find" => explorer.find_bug(&path).map(|found| match found {
            Ok(path) => Answer::json(200, &path),
            Err(sentence) => Answer::json(200, &serde_json::json!({ "sentence": sentence })),
        }),
        _ => explorer.trace(&path).map(|trace| Answer {
            status: 200,
            kind: "application/json",
            text: json(&trace),
        }),
    };
    answer.unwrap_or_else(|why| Answer::refuse(422, &why))
}
