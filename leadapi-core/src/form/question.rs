//! Pages, questions, and the options of a choice.

use super::{
    extensible_enum::QuestionType,
    field::{Field, List},
    number::Number,
    record::record,
};

record! {
    /// A page of a form (contract 2.5).
    Page {
        /// The id of the page, which rules refer to.
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
        /// The id of the question, which conditions refer to.
        id: Field<String> = "id",
        /// The type of answer that the question takes.
        kind: Field<QuestionType> = "type",
        /// The text of the question. A placeholder such as `{name}` stands for the answer to an earlier question.
        label: Field<String> = "label",
        /// Whether an answer is required.
        required: Field<bool> = "required",
        /// The options of a single choice. Questions of other types have none.
        options: List<Choice> = "options",
        /// The minimum value of a number.
        min: Field<Number> = "min",
        /// The name of the lead attribute that receives the answer.
        mapped_key: Field<String> = "mappedKey",
        /// Whether the mapping was set manually. Present only in that case.
        mapped_key_manual: Field<bool> = "mappedKeyManual",
    }
}

record! {
    /// An option of a single choice (contract 2.5).
    Choice {
        /// The id of the option. A visitor who chooses the option sends this id as the answer.
        id: Field<String> = "id",
        /// The text shown to the visitor.
        label: Field<String> = "label",
        /// The score that the option adds if it is chosen, as an integer.
        score: Field<Number> = "score",
    }
}
