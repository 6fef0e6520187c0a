//! The macros that make vectors and strings in arenas and scopes.

/// Makes an [`ArenaVec`](crate::ArenaVec) in an arena or scope, as `vec!` makes a `Vec`.
///
/// # Panics
///
/// Panics if there is no room.
///
/// # Examples
///
/// ```
/// let arena = heapsmith::Arena::new();
/// let mut list = heapsmith::vec![in arena; 1, 2, 3];
/// list.push(4);
/// assert_eq!(list, [1, 2, 3, 4]);
/// assert_eq!(heapsmith::vec![in &arena; '-'; 3], ['-', '-', '-']);
/// ```
#[macro_export]
macro_rules! vec {
    (in $memory:expr $(;)?) => {
        $memory.vec()
    };
    (in $memory:expr; $value:expr; $len:expr) => {{
        let mut list = $memory.vec();
        list.resize($len, $value);
        list
    }};
    (in $memory:expr; $($value:expr),+ $(,)?) => {{
        let mut list = $memory.vec_with_capacity(<[&str]>::len(&[$(stringify!($value)),+]));
        $(list.push($value);)+
        list
    }};
}

/// Makes an [`ArenaString`](crate::ArenaString) in an arena or scope, as `format!` makes a
/// `String`.
///
/// [`alloc_fmt`](crate::Arena::alloc_fmt) returns a `&mut str` instead.
///
/// # Panics
///
/// Panics if there is no room, or if a formatting trait returns an error.
///
/// # Examples
///
/// ```
/// let arena = heapsmith::Arena::new();
/// let mut line = heapsmith::format!(in arena, "{:02}:{:02}", 7, 5);
/// line.push_str(" o'clock");
/// assert_eq!(line, "07:05 o'clock");
/// ```
#[macro_export]
macro_rules! format {
    (in $memory:expr, $($text:tt)+) => {{
        let mut text = $memory.string();
        text.push_fmt(::core::format_args!($($text)+));
        text
    }};
}
