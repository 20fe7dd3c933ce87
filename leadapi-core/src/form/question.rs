//! What is asked: pages of questions, and the options of a choice.

use super::{
    field::{Field, List},
    number::Number,
    open::QuestionType,
    record::record,
};

record! {
    /// A page of a form (contract 2.5).
    Page {
        /// The id of the page, which rules name.
        id: Field<String> = "id",
        /// The title of the page.
        title: Field<String> = "title",
        /// The questions on the page.
        fields: List<Question> = "fields",
    }
}

record! {
    /// A question of a form (contract 2.5).
    Question {
        /// The id of the question, which conditions name.
        id: Field<String> = "id",
        /// What kind of answer it takes.
        kind: Field<QuestionType> = "type",
        /// What is asked; `{name}` stands for the answer to an earlier question.
        label: Field<String> = "label",
        /// Whether it must be answered.
        required: Field<bool> = "required",
        /// What there is to choose from, for a single choice only.
        options: List<Choice> = "options",
        /// The lower bound of a number.
        min: Field<Number> = "min",
        /// The name of the lead's attribute that the answer is stored in.
        mapped_key: Field<String> = "mappedKey",
        /// Present when the mapping was set by hand.
        mapped_key_manual: Field<bool> = "mappedKeyManual",
    }
}

record! {
    /// An option of a single choice (contract 2.5).
    Choice {
        /// The id of the option, which is the answer.
        id: Field<String> = "id",
        /// What is shown for it.
        label: Field<String> = "label",
        /// What choosing it adds to the score, an integer.
        score: Field<Number> = "score",
    }
}
