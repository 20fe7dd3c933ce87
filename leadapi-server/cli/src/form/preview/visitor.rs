//! The form as the visitor sees it: a page, or the ending.

use leadapi_form::{
    Escape, Finish, FormRecord, Outcome, Phrase, Problem, QuestionType, Questionnaire, Step, StepQuestion, Walk,
};
use maud::{Markup, html};

use super::{
    control::{Control, Frame},
    theme::Look,
    visit::Visit,
};

/// The page or the ending on display.
pub(super) struct Visitor<'v> {
    pub(super) record: &'v FormRecord,
    pub(super) form: &'v Questionnaire<'v>,
    pub(super) walk: &'v Walk<'v>,
    pub(super) visit: &'v Visit,
    pub(super) look: &'v Look,
}

impl Visitor<'_> {
    /// Returns the title of the page, the heading of the ending, or the name of the form.
    pub(super) fn title(&self) -> String {
        let title = match (self.step(), self.walk.outcome()) {
            (Some(step), _) => step.title().to_owned(),
            (None, Outcome::Finished(finish)) => self.fill(finish.heading),
            (None, _) => String::new(),
        };
        if title.trim().is_empty() { self.name().to_owned() } else { title }
    }

    fn name(&self) -> &str {
        let name = self.record.form.get().and_then(|form| form.name.as_str());
        name.filter(|name| !name.trim().is_empty()).unwrap_or("Form without a name")
    }

    fn fill(&self, text: Option<&str>) -> String {
        self.walk.fill(text.unwrap_or_default(), "", Escape::Plain)
    }

    fn step(&self) -> Option<Step<'_, '_>> {
        self.walk.steps().nth(self.visit.at)
    }

    /// Returns the problems to show, each with its question id.
    fn problems(&self) -> Vec<(&str, Problem)> {
        match self.walk.outcome() {
            Outcome::Awaiting { problems } if self.visit.shows_problems => problems,
            _ => Vec::new(),
        }
    }

    pub(super) fn has_problems(&self) -> bool {
        !self.problems().is_empty()
    }

    pub(super) fn markup(&self) -> Markup {
        let company = self.record.client.get().and_then(|client| client.company_name.as_str());
        let settings = self.form.settings();
        let progress = match self.step() {
            Some(step) => step.progress(),
            None => self.walk.progress(),
        };
        html! {
            div.paper {
                @if let Some(company) = company { p.company { (company) } }
                @if settings.and_then(|settings| settings.show_progress.get()) == Some(&true) {
                    progress max="1" value=(format!("{progress:.3}")) aria-label="Progress" {}
                }
                @if let Some(step) = self.step() { (self.page(step)) } @else { (self.end()) }
            }
        }
    }

    fn page(&self, step: Step<'_, '_>) -> Markup {
        let problems = self.problems();
        let problem = |id: &str| problems.iter().find(|(question, _)| *question == id).map(|(_, problem)| *problem);
        let questions: Vec<_> = step.questions().enumerate().collect();
        html! {
            // The heading has the focus, so that a screen reader announces each page. If there are problems, their list
            // has the focus.
            h1 tabindex="-1" autofocus[problems.is_empty()] { (self.title()) }
            @if !problems.is_empty() {
                div.problems role="alert" tabindex="-1" autofocus {
                    p { (self.form.phrase(Phrase::Check)) }
                    ul {
                        @for (at, question) in &questions {
                            @if let Some(problem) = problem(question.id()) { (self.problem(*at, *question, problem)) }
                        }
                    }
                }
            }
            form method="get" action="/" novalidate autocomplete="off" {
                (self.hidden())
                @for (at, question) in questions {
                    (self.question(at, question, problem(question.id())))
                }
                div.buttons {
                    button.next type="submit" name="go" value="next" { (self.form.phrase(Phrase::Next)) }
                    @if self.may_go_back() {
                        button.back type="submit" name="go" value="back" { (self.form.phrase(Phrase::Back)) }
                    }
                }
            }
        }
    }

    /// Returns an entry of the list of problems: the whole sentence of the author, or else a sentence that begins with
    /// the question.
    fn problem(&self, at: usize, question: StepQuestion<'_, '_>, problem: Problem) -> Markup {
        let message = self.form.message(question.id(), problem);
        let link = format!("#q{at}");
        html! {
            li {
                @if is_sentence(&message) {
                    a href=(link) { (message) }
                } @else {
                    a href=(link) { (label(question)) } " " (message)
                }
            }
        }
    }

    /// Returns the hidden fields that contain the visit.
    fn hidden(&self) -> Markup {
        html! {
            input type="hidden" name="version" value=(self.visit.version.as_str());
            input type="hidden" name="answers" value=(self.visit.answers_json());
            input type="hidden" name="at" value=(self.visit.at);
        }
    }

    fn may_go_back(&self) -> bool {
        let allowed = self.form.settings().and_then(|settings| settings.allow_back.get());
        self.visit.at > 0 && allowed != Some(&false)
    }

    fn question(&self, at: usize, question: StepQuestion<'_, '_>, problem: Option<Problem>) -> Markup {
        let record = question.record();
        let control = Control::of(question);
        let id = format!("q{at}");
        let (problem_id, label_id) = (format!("{id}-problem"), format!("{id}-label"));
        let kind = question.question_type();
        let is_hidden = kind == Some(QuestionType::Hidden);
        let is_required = record.required.get() == Some(&true) && !is_hidden;
        let frame = Frame {
            form: self.form,
            question: question.id(),
            id: &id,
            answer: question.answer(),
            described_by: problem.is_some().then(|| problem_id.clone()),
            is_invalid: problem.is_some(),
            is_required,
            has_letters: self.look.has_letters,
        };
        let label = html! {
            (label(question))
            @if is_required {
                " "
                span.required {
                    span aria-hidden="true" { "*" }
                    span.hidden { "(" (self.form.phrase(Phrase::Required)) ")" }
                }
            }
        };
        let role = if matches!(control, Control::Many(_) | Control::Address) { "group" } else { "radiogroup" };
        let invalid = (problem.is_some() && role == "radiogroup").then_some("true");
        let required = (is_required && role == "radiogroup").then_some("true");
        html! {
            div.question.unseen[is_hidden] {
                @if control.is_group() {
                    p.label id=(label_id) { (label) }
                } @else if !control.is_check() {
                    label.label for=(id) { (label) }
                }
                @if is_hidden { p.about { "Hidden question: the page that embeds the form sets its answer." } }
                @if kind == Some(QuestionType::File) {
                    p.about { "The preview uploads no files: enter the URL of a file." }
                }
                @if let Some(problem) = problem {
                    p.problem id=(problem_id) { (sentence(&self.form.message(question.id(), problem))) }
                }
                @if control.is_group() {
                    div role=(role) aria-labelledby=(label_id) aria-describedby=[frame.described_by.as_deref()]
                        aria-invalid=[invalid] aria-required=[required] {
                        (control.fields(&frame))
                    }
                } @else if control.is_check() {
                    label.option { (control.fields(&frame)) span { (label) } }
                } @else {
                    (control.fields(&frame))
                }
            }
        }
    }

    fn end(&self) -> Markup {
        html! {
            h1 tabindex="-1" autofocus { (self.title()) }
            @match self.walk.outcome() {
                Outcome::Finished(finish) => (self.ending(&finish)),
                Outcome::Loop { page } => {
                    p { "The rules lead back to the page " (page.unwrap_or("without an id"))
                        ", so visitors with these answers never reach an ending." }
                }
                Outcome::Empty => p { "The form has no pages." },
                _ => {}
            }
            @if self.may_go_back() {
                form method="get" action="/" { (self.hidden()) div.buttons {
                    button.back type="submit" name="go" value="back" { (self.form.phrase(Phrase::Back)) }
                } }
            }
        }
    }

    fn ending(&self, finish: &Finish<'_>) -> Markup {
        html! {
            @if finish.message.is_some() { p.message { (self.fill(finish.message)) } }
            @if let Some(calendar) = &finish.calendar {
                p.calendar {
                    "Here, the visitor books an appointment"
                    @if let Some(minutes) = calendar.duration { " of " (minutes) " minutes" }
                    @if let Some(slug) = calendar.slug { " in the calendar " code { (slug) } }
                    "."
                }
            }
        }
    }
}

/// Returns the label of a question, or its id.
pub(super) fn label(question: StepQuestion<'_, '_>) -> String {
    let label = question.label("", Escape::Plain);
    if label.trim().is_empty() { question.id().to_owned() } else { label }
}

/// Returns the message of a problem, such as `needs an answer`, as a sentence.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let end = if is_sentence(text) { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}

fn is_sentence(text: &str) -> bool {
    text.trim_end().ends_with(['.', '!', '?'])
}
