//! A form in the terminal, question by question: checked first, and at its end a lead, created through the client.
//!
//! `cargo run -p leadapi-examples --example form_to_lead`
//!
//! Where nobody sits at the terminal, it answers itself.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::{
    collections::{HashSet, VecDeque},
    io::{self, IsTerminal, Write},
};

use leadapi_client::Client;
use leadapi_core::{
    BoxError,
    dataset::Dataset,
    form::{Answers, Asked, Choice, Escape, FormRecord, Outcome, Policy, Questionnaire, Step, Version},
    http::LeadService,
    memory::{MemoryStore, MemoryTokens, SystemClock},
    port::Clock,
    tokens::{self, StoredTokens},
};
use leadapi_server::SAMPLE;

const FORM: &str = include_str!("../../leadapi-core/tests/data/form.json");

/// What is typed where nobody types: live-in care for a mother, one answer that is no number, and no phone number.
const SCRIPT: [(&str, &str); 12] = [
    ("q_recipient", "1"),
    ("q_age", "8,1"),
    ("q_level", "3"),
    ("q_age", "81"),
    ("q_need", "2"),
    ("q_hours", "50"),
    ("q_room", "1"),
    ("q_start", "in May"),
    ("q_postal", "01067"),
    ("q_name", "Ann Lee"),
    ("q_email", "ann.lee@example.org"),
    ("q_phone", ""),
];

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let record: FormRecord = serde_json::from_str(FORM)?;
    let form = record.compile(Version::Live, &Policy::default());

    println!("What the check finds:");
    for finding in form.check() {
        println!("  {finding}");
    }
    println!("\nWhat is true of every walk: {:#?}\n", form.prove());

    let answers = converse(&form, &mut Visitor::new())?;
    let walk = form.walk(&answers);
    if let Outcome::Finished(finish) = walk.outcome() {
        println!("\n{}", walk.fill(finish.message.unwrap_or_default(), "", Escape::Plain));
    }
    let made = match walk.lead() {
        Ok(made) => made,
        Err(reason) => {
            println!("There is no lead: {reason}.");
            return Ok(());
        }
    };
    println!("\nThe score is {}, and this is the lead:\n{}", walk.score(), serde_json::to_string_pretty(&made.lead)?);

    let lead = client().await?.leads().create(&made.lead).await?;
    println!("\nIt was created with the id {}.", lead.id);
    Ok(())
}

/// Asks until an ending is reached. A page that cannot be left is shown again, with what is wrong.
fn converse(form: &Questionnaire<'_>, visitor: &mut Visitor) -> Result<Answers, BoxError> {
    let mut answers = Answers::new();
    let mut shown = HashSet::new();
    loop {
        let walk = form.walk(&answers);
        let problems = match walk.outcome() {
            Outcome::Awaiting { problems } => problems,
            _ => Vec::new(),
        };
        // The first page that was not shown yet, else the one that waits for better answers.
        let page = |step: &Step<'_, '_>| step.page().map(str::to_owned);
        let step = walk.steps().find(|step| !shown.contains(&page(step)));
        let Some(step) = step.or_else(|| walk.steps().last().filter(|_| !problems.is_empty())) else {
            return Ok(answers);
        };
        let new = shown.insert(page(&step));
        if new {
            println!("\n{} ({:.0} % done)", step.title(), step.progress() * 100.0);
        }
        let typed = ask(step, new, &problems, visitor)?;
        for (question, text) in typed {
            answers.set(question, text);
        }
    }
}

/// The answers to the questions of a page: to all of them, or to those that have a problem.
fn ask(
    step: Step<'_, '_>,
    all: bool,
    problems: &[(&str, leadapi_core::form::Problem)],
    visitor: &mut Visitor,
) -> Result<Vec<(String, String)>, BoxError> {
    let mut typed = Vec::new();
    for question in step.questions() {
        let problem = problems.iter().find(|(id, _)| *id == question.id());
        match problem {
            Some((_, problem)) if !all => println!("  This {problem}."),
            None if !all => continue,
            _ => {}
        }
        println!("  {}", question.label("you", Escape::Plain));
        let options: Vec<&Choice> = question.record().options.items().collect();
        for (number, option) in (1..).zip(&options) {
            println!("    {number}. {}", option.label.as_str().unwrap_or_default());
        }
        let text = visitor.types(question)?;
        let chosen = text.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
        let answer = chosen.and_then(|option| option.id.as_str()).unwrap_or(&text);
        typed.push((question.id().to_owned(), answer.to_owned()));
    }
    Ok(typed)
}

/// Who answers: whoever sits at the terminal, or the script.
struct Visitor {
    script: Option<VecDeque<(&'static str, &'static str)>>,
}

impl Visitor {
    fn new() -> Self {
        Self { script: (!io::stdin().is_terminal()).then(|| SCRIPT.into()) }
    }

    fn types(&mut self, question: Asked<'_, '_>) -> Result<String, BoxError> {
        print!("  > ");
        io::stdout().flush()?;
        if let Some(script) = &mut self.script {
            let (_, text) =
                script.pop_front().filter(|(id, _)| *id == question.id()).ok_or("the script is at fault")?;
            println!("{text}");
            return Ok(text.to_owned());
        }
        let mut line = String::new();
        match io::stdin().read_line(&mut line)? {
            0 => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            _ => Ok(line.trim().to_owned()),
        }
    }
}

/// A client of a service in this process, which holds the sample data.
async fn client() -> Result<Client, BoxError> {
    let (dataset, tokens) = (Dataset::parse(SAMPLE)?, MemoryTokens::default());
    let issued = tokens::import(&tokens, &dataset, SystemClock.now().into()).await?;
    let token = issued.first().ok_or("the sample has no token")?.secret.clone();
    let service = LeadService::builder(MemoryStore::new(dataset), StoredTokens::new(tokens, SystemClock)).build()?;
    Ok(Client::builder("http://in-process", token).in_process(service)?)
}
