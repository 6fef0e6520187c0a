// The parser of advice for the code, as `heapsmith advise --json` writes it.
import type { CodeAdvice, Gain, OtherMalloc, Piece, Spot, Spread } from './data';
import { each, number, object, optional, text } from './json';

function spread(value: unknown, where: string): Spread {
  const row = object(value, where);
  const of = (key: string) => number(row[key], `${where}.${key}`);
  return { median: of('median'), low: of('low'), high: of('high') };
}

function gain(value: unknown, where: string): Gain {
  const row = object(value, where);
  return { time: spread(row['time'], `${where}.time`), peak: spread(row['peak'], `${where}.peak`) };
}

function spot(value: unknown, where: string): Spot {
  const row = object(value, where);
  return {
    name: text(row['name'], `${where}.name`),
    file: optional(row['file'], `${where}.file`, text),
    line: optional(row['line'], `${where}.line`, number),
    source: optional(row['source'], `${where}.source`, text),
  };
}

function piece(value: unknown, where: string): Piece {
  const row = object(value, where);
  return {
    title: text(row['title'], `${where}.title`),
    places: each(row['places'], `${where}.places`, spot),
    gain: gain(row['gain'], `${where}.gain`),
    seen: text(row['seen'], `${where}.seen`),
    safeIf: each(row['safe_if'], `${where}.safe_if`, text),
    notVerified: each(row['not_verified'], `${where}.not_verified`, text),
    code: text(row['code'], `${where}.code`),
  };
}

function otherMalloc(value: unknown, where: string): OtherMalloc {
  const row = object(value, where);
  return {
    name: text(row['name'], `${where}.name`),
    line: text(row['line'], `${where}.line`),
    gain: gain(row['gain'], `${where}.gain`),
  };
}

export function codeAdvice(value: unknown, where: string): CodeAdvice {
  const line = object(value, where);
  const at = `${where}.advice`;
  const row = object(line['advice'], at);
  return {
    workload: text(line['workload'], `${where}.workload`),
    pieces: each(row['pieces'], `${at}.pieces`, piece),
    together: optional(row['together'], `${at}.together`, gain),
    mallocs: each(row['mallocs'], `${at}.mallocs`, otherMalloc),
    tried: each(row['tried'], `${at}.tried`, (v) => v).length,
    mallocsTried: number(row['mallocs_tried'], `${at}.mallocs_tried`),
  };
}
