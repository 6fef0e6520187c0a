//! The struct that is split into columns, as the expansion needs it.

use syn::{Data, DataStruct, DeriveInput, Error, Field, Fields, Ident, Lifetime, Member};

use crate::attributes::Attributes;
use crate::names::Names;

/// The number of fields of the largest tuple that is a row.
const MOST_FIELDS: usize = 16;

/// The input of the expansion.
pub(crate) struct Row<'a> {
    pub(crate) input: &'a DeriveInput,
    pub(crate) is_tuple: bool,
    pub(crate) fields: Vec<&'a Field>,
    /// The names of the fields, which are numbers in a tuple struct.
    pub(crate) names: Vec<Member>,
    /// The names of local variables, one for each field. A field's own name in a pattern would be a
    /// constant, a constant parameter or a unit struct, if there is one of that name.
    pub(crate) locals: Vec<Ident>,
    /// The trait that has the types of the fields, and a parameter that stands for them.
    pub(crate) hidden: Ident,
    pub(crate) parameter: Ident,
    pub(crate) attributes: Attributes,
    /// The lifetime of the borrow from the pool.
    pub(crate) life: Lifetime,
}

impl<'a> Row<'a> {
    pub(crate) fn of(input: &'a DeriveInput, used: &Names) -> Result<Self, Error> {
        let data = struct_of(input)?;
        let fields: Vec<&Field> = data.fields.iter().collect();
        Ok(Self {
            input,
            is_tuple: matches!(data.fields, Fields::Unnamed(_)),
            names: data.fields.members().collect(),
            locals: (0..fields.len()).map(|i| used.unused(&format!("__soa_field_{i}"))).collect(),
            hidden: used.unused("__SoaFields"),
            parameter: used.unused("__Fields"),
            fields,
            attributes: Attributes::of(input)?,
            life: used.unused_lifetime("'soa"),
        })
    }
}

fn struct_of(input: &DeriveInput) -> Result<&DataStruct, Error> {
    let refuse = |why: &str| Err(Error::new_spanned(&input.ident, why));
    let Data::Struct(data) = &input.data else {
        return refuse("only a struct can be split into columns");
    };
    match data.fields.len() {
        0 => refuse("a row without fields has no columns"),
        1..=MOST_FIELDS => Ok(data),
        _ => refuse("a row has at most 16 columns: combine fields that are used together"),
    }
}
