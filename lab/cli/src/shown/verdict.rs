//! The verdict, in sentences.

use std::io::Write;

use anyhow::Result;
use heapsmith_measure::verdict::Judgement;

pub fn say(out: &mut dyn Write, judgement: &Judgement) -> Result<()> {
    writeln!(out, "{}", judgement.headline)?;
    if let Some(advice) = &judgement.advice {
        writeln!(out, "  {}", advice.line)?;
    }
    if let Some(remedy) = &judgement.remedy {
        writeln!(out, "{remedy}")?;
    }
    writeln!(out)?;
    Ok(())
}
