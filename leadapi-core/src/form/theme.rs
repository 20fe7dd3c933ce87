//! How a form looks. Colours and sizes are the editor's own; nothing here reads them.

use super::{field::Field, number::Number, record::record};

record! {
    /// How a form looks (contract 2.5).
    Theme {
        /// The name of the preset.
        preset: Field<String> = "preset",
        /// The colour of the background.
        bg_color: Field<String> = "bgColor",
        /// The colour of the text.
        text_color: Field<String> = "textColor",
        /// The colour that the background runs to.
        bg_gradient_to: Field<String> = "bgGradientTo",
        /// The colour of buttons.
        primary_color: Field<String> = "primaryColor",
        /// The colour that buttons run to.
        button_gradient_to: Field<String> = "buttonGradientTo",
        /// Whether the background runs from one colour to another.
        bg_gradient: Field<bool> = "bgGradient",
        /// Whether buttons run from one colour to another.
        button_gradient: Field<bool> = "buttonGradient",
        /// Whether options carry letters.
        show_choice_letters: Field<bool> = "showChoiceLetters",
        /// The font.
        font_family: Field<String> = "fontFamily",
        /// The shape of buttons.
        button_shape: Field<String> = "buttonShape",
        /// How the text on buttons is aligned.
        button_text_align: Field<String> = "buttonTextAlign",
        /// The radius of corners, an integer.
        border_radius: Field<Number> = "borderRadius",
        /// The padding of buttons, an integer.
        button_padding: Field<Number> = "buttonPadding",
        /// The size of the text in inputs, an integer.
        input_font_size: Field<Number> = "inputFontSize",
        /// The size of the text on buttons, an integer.
        button_font_size: Field<Number> = "buttonFontSize",
        /// The size of questions, an integer.
        question_font_size: Field<Number> = "questionFontSize",
        /// The angle at which the background runs, an integer.
        bg_gradient_angle: Field<Number> = "bgGradientAngle",
    }
}
