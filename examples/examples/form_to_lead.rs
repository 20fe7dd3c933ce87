//! Checks a form, asks its questions in the terminal, and uses the client to create a lead from the answers.
//!
//! Run it with `cargo run -p leadapi-examples --example form_to_lead`. If stdin is not a terminal, scripted answers are
//! used.

#![allow(clippy::print_stdout, reason = "the example prints to the terminal")]

use std::{
    collections::{HashSet, VecDeque},
    io::{self, IsTerminal, Write},
};

use leadapi_client::Client;
use leadapi_core::{
    BoxError,
    dataset::{Dataset, SAMPLE},
    http::LeadService,
    memory::{MemoryStore, MemoryTokens, SystemClock},
    port::Clock,
    tokens::{self, StoredTokens},
};
use leadapi_form::{Answers, Choice, Escape, FormRecord, Outcome, Policy, Questionnaire, Step, StepQuestion, Version};

const FORM: &str = include_str!("../../leadapi-core/model/tests/data/form.json");

/// Scripted answers. One answer is not a valid number, and the optional phone number is left empty.
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
    let form = Questionnaire::compile(&record, Version::Live, &Policy::default());

    println!("Findings of the check:");
    for finding in form.check() {
        println!("  {finding}");
    }
    println!("\nProperties of every path through the form: {:#?}\n", form.prove());

    let answers = converse(&form, &mut Visitor::new())?;
    let walk = form.walk(&answers);
    if let Outcome::Finished(finish) = walk.outcome() {
        println!("\n{}", walk.fill(finish.message.unwrap_or_default(), "", Escape::Plain));
    }
    let form_lead = match walk.lead() {
        Ok(form_lead) => form_lead,
        Err(reason) => {
            println!("The form creates no lead: {reason}.");
            return Ok(());
        }
    };
    println!("\nThe score is {}, and the lead is:\n{}", walk.score(), serde_json::to_string_pretty(&form_lead.lead)?);

    let lead = client().await?.leads().create(&form_lead.lead).await?;
    println!("\nCreated with the id {}.", lead.id);
    Ok(())
}

/// Asks questions until all pages on the path have valid answers. Shows a page with invalid answers again, together
/// with the problems.
fn converse(form: &Questionnaire<'_>, visitor: &mut Visitor) -> Result<Answers, BoxError> {
    let mut answers = Answers::new();
    let mut shown_pages = HashSet::new();
    loop {
        let walk = form.walk(&answers);
        let problems = match walk.outcome() {
            Outcome::Awaiting { problems } => problems,
            _ => Vec::new(),
        };
        // The first page that has not been shown or, if all have been shown, the page with invalid answers.
        let page = |step: &Step<'_, '_>| step.page().map(str::to_owned);
        let step = walk.steps().find(|step| !shown_pages.contains(&page(step)));
        let Some(step) = step.or_else(|| walk.steps().last().filter(|_| !problems.is_empty())) else {
            return Ok(answers);
        };
        let new = shown_pages.insert(page(&step));
        if new {
            println!("\n{} ({:.0} % done)", step.title(), step.progress() * 100.0);
        }
        let answered = ask(step, new, &problems, visitor)?;
        for (question, text) in answered {
            answers.set(question, text);
        }
    }
}

/// Asks all questions on a page, or only those with a problem, and returns the answers.
fn ask(
    step: Step<'_, '_>,
    all: bool,
    problems: &[(&str, leadapi_form::Problem)],
    visitor: &mut Visitor,
) -> Result<Vec<(String, String)>, BoxError> {
    let mut answers = Vec::new();
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
        let text = visitor.answer(question)?;
        let chosen = text.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
        let answer = chosen.and_then(|option| option.id.as_str()).unwrap_or(&text);
        answers.push((question.id().to_owned(), answer.to_owned()));
    }
    Ok(answers)
}

/// The visitor who fills in the form: a person at the terminal, or the script.
struct Visitor {
    script: Option<VecDeque<(&'static str, &'static str)>>,
}

impl Visitor {
    fn new() -> Self {
        Self { script: (!io::stdin().is_terminal()).then(|| SCRIPT.into()) }
    }

    fn answer(&mut self, question: StepQuestion<'_, '_>) -> Result<String, BoxError> {
        print!("  > ");
        io::stdout().flush()?;
        if let Some(script) = &mut self.script {
            let (_, text) = script
                .pop_front()
                .filter(|(id, _)| *id == question.id())
                .ok_or("the script does not match the form")?;
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

/// Creates a client for an in-process service with the sample data.
async fn client() -> Result<Client, BoxError> {
    let (dataset, tokens) = (Dataset::parse(SAMPLE)?, MemoryTokens::default());
    let issued = tokens::import(&tokens, &dataset, SystemClock.now()).await?;
    let token = issued.first().ok_or("the sample has no token")?.secret.clone();
    let service = LeadService::builder(MemoryStore::new(dataset), StoredTokens::new(tokens, SystemClock)).build()?;
    Ok(Client::builder("http://in-process", token).in_process(service).build()?)
}
