//! The theme of a form as a style sheet.
//!
//! A record is untrusted, so its text never gets into the style sheet unchecked. Colours are parsed and written as
//! hexadecimal numbers, font names consist of letters, digits and a few signs, and numbers are clamped.

use std::fmt::Write;

use color::{AlphaColor, Rgba8, Srgb, parse_color};
use leadapi_form::{Field, Number, Theme};

/// Font families that are CSS keywords, and so must not be quoted.
const GENERIC: [&str; 6] = ["serif", "sans-serif", "monospace", "system-ui", "ui-monospace", "ui-sans-serif"];

type Rgb = [u8; 3];

const WHITE: Rgb = [255; 3];
const INK: Rgb = [29, 36, 51];

/// The appearance of a form, derived from its theme.
#[derive(Debug)]
pub(super) struct Look {
    /// The names of the members of the theme whose values the preview does not understand.
    pub(super) ignored: Vec<&'static str>,
    pub(super) has_letters: bool,
    variables: Vec<(&'static str, String)>,
}

impl Look {
    pub(super) fn new(theme: Option<&Theme>) -> Self {
        let none = Theme::default();
        let theme = theme.unwrap_or(&none);
        let mut ignored = Vec::new();
        let mut variables = Vec::new();

        let mut colour = |name, field: &Field<String>, default| {
            let text = field.as_str().map(str::trim).filter(|text| !text.is_empty());
            let parsed = text.and_then(rgb);
            if text.is_some() && parsed.is_none() {
                ignored.push(name);
            }
            parsed.unwrap_or(default)
        };
        let bg = colour("bgColor", &theme.bg_color, WHITE);
        let bg_to = colour("bgGradientTo", &theme.bg_gradient_to, bg);
        let text = colour("textColor", &theme.text_color, if readable_on(bg, bg) == WHITE { WHITE } else { INK });
        let primary = colour("primaryColor", &theme.primary_color, [63, 91, 217]);
        let primary_to = colour("buttonGradientTo", &theme.button_gradient_to, primary);
        let angle = number(&theme.bg_gradient_angle, 180, 0..=360);
        let bg_to = if theme.bg_gradient.get() == Some(&true) { bg_to } else { bg };
        let primary_to = if theme.button_gradient.get() == Some(&true) { primary_to } else { primary };
        variables.push(("scheme", if readable_on(bg, bg) == WHITE { "dark" } else { "light" }.to_owned()));
        variables.push(("bg", hex(bg)));
        variables.push(("bg-image", format!("linear-gradient({angle}deg, {}, {})", hex(bg), hex(bg_to))));
        variables.push(("text", hex(text)));
        variables.push(("line", hex(mix(text, bg, 60))));
        variables.push(("tint", hex(mix(primary, bg, 10))));
        variables.push(("primary", hex(primary)));
        variables.push(("button-image", format!("linear-gradient(90deg, {}, {})", hex(primary), hex(primary_to))));
        variables.push(("button-text", hex(readable_on(primary, primary_to))));

        let family = theme.font_family.as_str().map(str::trim).filter(|family| !family.is_empty());
        match family.map(fonts) {
            Some(Some(fonts)) => variables.push(("font", fonts)),
            Some(None) => ignored.push("fontFamily"),
            None => {}
        }
        let radius = number(&theme.border_radius, 8, 0..=64);
        variables.push(("radius", format!("{radius}px")));
        variables.push((
            "button-radius",
            match theme.button_shape.as_str() {
                Some("pill" | "round" | "full") => "999px".to_owned(),
                Some("square" | "sharp" | "rectangle") => "0".to_owned(),
                _ => format!("{radius}px"),
            },
        ));
        variables.push((
            "button-align",
            match theme.button_text_align.as_str() {
                Some("left" | "start") => "start",
                Some("right" | "end") => "end",
                _ => "center",
            }
            .to_owned(),
        ));
        variables.push(("button-padding", format!("{}px", number(&theme.button_padding, 12, 0..=64))));
        for (name, field, default) in [
            ("input-size", &theme.input_font_size, 16),
            ("button-size", &theme.button_font_size, 16),
            ("question-size", &theme.question_font_size, 20),
        ] {
            variables.push((name, format!("{}px", number(field, default, 8..=72))));
        }
        Self { ignored, has_letters: theme.show_choice_letters.get() == Some(&true), variables }
    }

    /// Returns the style sheet, which sets variables of the visitor's page.
    pub(super) fn css(&self) -> String {
        let mut css = ".visitor {\n".to_owned();
        for (name, value) in &self.variables {
            // A write to a string cannot fail.
            let _ = writeln!(css, "  --{name}: {value};");
        }
        css + "}\n"
    }
}

/// Parses a colour. A translucent colour is blended with white.
fn rgb(text: &str) -> Option<Rgb> {
    let colour: AlphaColor<Srgb> = parse_color(text.trim()).ok()?.to_alpha_color();
    let [r, g, b, a] = colour.components.map(|component| component.clamp(0.0, 1.0));
    let [r, g, b] = [r, g, b].map(|component| 1.0 - a + a * component);
    let blended = AlphaColor::<Srgb>::new([r, g, b, 1.0]);
    let Rgba8 { r, g, b, .. } = blended.to_rgba8();
    Some([r, g, b])
}

fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Mixes two colours. `percent` is the share of the first one.
fn mix([r1, g1, b1]: Rgb, [r2, g2, b2]: Rgb, percent: u16) -> Rgb {
    [(r1, r2), (g1, g2), (b1, b2)].map(|(one, other)| {
        let mixed = (u16::from(one) * percent + u16::from(other) * (100 - percent)) / 100;
        u8::try_from(mixed).unwrap_or(u8::MAX)
    })
}

/// Returns black or white, whichever is easier to read on a gradient.
fn readable_on(from: Rgb, to: Rgb) -> Rgb {
    if brightness(from).midpoint(brightness(to)) < 128 { WHITE } else { [0; 3] }
}

/// Returns how bright a colour appears, from 0 to 255 (the Y of YIQ).
fn brightness([red, green, blue]: Rgb) -> u32 {
    (u32::from(red) * 299 + u32::from(green) * 587 + u32::from(blue) * 114) / 1_000
}

fn number(field: &Field<Number>, default: i64, range: std::ops::RangeInclusive<i64>) -> i64 {
    let number = field.get().and_then(Number::as_i64).unwrap_or(default);
    number.clamp(*range.start(), *range.end())
}

/// Returns a list of font families, with quotes around names that are not keywords, or `None` if a name is invalid.
fn fonts(text: &str) -> Option<String> {
    let mut families = Vec::new();
    for family in text.split(',') {
        let family = family.trim().trim_matches(['"', '\'']).trim();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_');
        if family.is_empty() || family.len() > 64 || !family.chars().all(is_plain) {
            return None;
        }
        families.push(if GENERIC.contains(&family) { family.to_owned() } else { format!("\"{family}\"") });
    }
    families.push("var(--sans)".to_owned());
    Some(families.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(theme: &str) -> Look {
        Look::new(Some(&serde_json::from_str(theme).unwrap()))
    }

    #[test]
    fn a_theme_becomes_variables() {
        let css = look(
            r##"{"bgColor":"#fff","bgGradient":true,"bgGradientTo":"rgb(0, 0, 0)","bgGradientAngle":45,"textColor":"hsl(0, 100%, 50%)",
            "primaryColor":"#ffff0080","fontFamily":"'Open Sans', serif","buttonShape":"pill","borderRadius":7,
            "buttonPadding":-5,"inputFontSize":1e9,"buttonTextAlign":"left"}"##,
        );
        assert_eq!(css.ignored, [""; 0]);
        let css = css.css();
        for line in [
            "--bg-image: linear-gradient(45deg, #ffffff, #000000);",
            "--text: #ff0000;",
            "--primary: #ffff7f;",
            "--button-text: #000000;",
            "--font: \"Open Sans\", serif, var(--sans);",
            "--button-radius: 999px;",
            "--radius: 7px;",
            "--button-padding: 0px;",
            "--button-align: start;",
        ] {
            assert!(css.contains(line), "{line} is not in {css}");
        }
    }

    #[test]
    fn a_named_colour_is_the_colour_that_css_gives_it() {
        let look = look(
            r#"{"bgColor":"RebeccaPurple","textColor":" gold ","primaryColor":"redd","buttonGradientTo":"inherit"}"#,
        );
        assert_eq!(look.ignored, ["primaryColor", "buttonGradientTo"]);
        let css = look.css();
        for line in ["--bg: #663399;", "--text: #ffd700;", "--scheme: dark;"] {
            assert!(css.contains(line), "{line} is not in {css}");
        }
    }

    #[test]
    fn no_text_of_a_hostile_theme_gets_into_the_style_sheet() {
        for text in [
            "red;}body{display:none}",
            "#fff;background:url(https://evil.example)",
            "url(https://evil.example/x)",
            "</style><script>alert(1)</script>",
            "#fff\\",
            "rgb(1,2,3);x",
            "expression(evil)",
            "#ffffff/*evil*/",
            "ev\"il",
            "\u{202e}evil",
            "var(--evil)",
        ] {
            let value = serde_json::to_string(text).unwrap();
            let members = Theme::KEYS.iter().map(|key| format!("\"{key}\":{value}"));
            let look = look(&format!("{{{}}}", members.collect::<Vec<_>>().join(",")));
            assert_eq!(look.css(), Look::new(None).css(), "{text}");
            assert_eq!(look.ignored.len(), 6, "{text}: {:?}", look.ignored);
        }
        // These words are harmless as names of fonts, because the names are quoted and cannot contain quotes.
        let css = look(r#"{"fontFamily":"expression, url"}"#).css();
        assert!(css.contains(r#"--font: "expression", "url", var(--sans);"#), "{css}");
    }

    #[test]
    fn text_on_buttons_is_readable() {
        assert_eq!(readable_on([31, 122, 104], [31, 122, 104]), WHITE);
        assert_eq!(readable_on([255, 255, 0], [255, 255, 0]), [0; 3]);
        assert_eq!((readable_on([0; 3], [0; 3]), readable_on(WHITE, WHITE)), (WHITE, [0; 3]));
    }
}
