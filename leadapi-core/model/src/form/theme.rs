//! The presentation settings of a form. This crate preserves them unchanged. Only the form check interprets them, to
//! compare colours.

use super::{field::Field, number::Number, record::record};

record! {
    /// The presentation settings of a form (contract 2.5).
    Theme {
        /// The name of the preset.
        preset: Field<String> = "preset",
        /// The background colour.
        bg_color: Field<String> = "bgColor",
        /// The text colour.
        text_color: Field<String> = "textColor",
        /// The end colour of the background gradient.
        bg_gradient_to: Field<String> = "bgGradientTo",
        /// The colour of buttons.
        primary_color: Field<String> = "primaryColor",
        /// The end colour of the button gradient.
        button_gradient_to: Field<String> = "buttonGradientTo",
        /// Whether the background has a gradient.
        bg_gradient: Field<bool> = "bgGradient",
        /// Whether buttons have a gradient.
        button_gradient: Field<bool> = "buttonGradient",
        /// Whether options are labeled with letters.
        show_choice_letters: Field<bool> = "showChoiceLetters",
        /// The font family.
        font_family: Field<String> = "fontFamily",
        /// The shape of buttons.
        button_shape: Field<String> = "buttonShape",
        /// The alignment of the text on buttons.
        button_text_align: Field<String> = "buttonTextAlign",
        /// The corner radius, as an integer.
        border_radius: Field<Number> = "borderRadius",
        /// The padding of buttons, as an integer.
        button_padding: Field<Number> = "buttonPadding",
        /// The font size of inputs, as an integer.
        input_font_size: Field<Number> = "inputFontSize",
        /// The font size of buttons, as an integer.
        button_font_size: Field<Number> = "buttonFontSize",
        /// The font size of questions, as an integer.
        question_font_size: Field<Number> = "questionFontSize",
        /// The angle of the background gradient, as an integer.
        bg_gradient_angle: Field<Number> = "bgGradientAngle",
    }
}
