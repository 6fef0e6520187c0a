// Parses single members of the embedded JSON. Every fault names its position.

/** The file does not follow the schema. The message names the position. */
export class DataError extends Error {
  constructor(where: string, expected: string, got: unknown) {
    const shown = got === undefined ? 'nothing' : JSON.stringify(got).slice(0, 60);
    super(`${where}: expected ${expected}, found ${shown}`);
    this.name = 'DataError';
  }
}

export type Json = Record<string, unknown>;
type Parse<T> = (value: unknown, where: string) => T;

export function object(value: unknown, where: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new DataError(where, 'an object', value);
  }
  return value as Json;
}

function array(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new DataError(where, 'an array', value);
  return value;
}

/** Every element of an array. */
export function each<T>(value: unknown, where: string, parse: Parse<T>): T[] {
  return array(value, where).map((v, i) => parse(v, `${where}[${i}]`));
}

export function text(value: unknown, where: string): string {
  if (typeof value !== 'string') throw new DataError(where, 'a string', value);
  return value;
}

export function number(value: unknown, where: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new DataError(where, 'a finite number', value);
  }
  return value;
}

export function boolean(value: unknown, where: string): boolean {
  if (typeof value !== 'boolean') throw new DataError(where, 'true or false', value);
  return value;
}

/** Parses a member that may be absent or null. */
export function optional<T>(value: unknown, where: string, parse: Parse<T>): T | null {
  return value === undefined || value === null ? null : parse(value, where);
}

/** An array that may be absent. */
export function eachIfAny<T>(value: unknown, where: string, parse: Parse<T>): T[] {
  return each(value ?? [], where, parse);
}

/** One of a few words. */
export function word<T extends string>(value: unknown, where: string, words: readonly T[]): T {
  const found = words.find((w) => w === value);
  if (found === undefined) {
    throw new DataError(where, words.map((w) => `"${w}"`).join(' or '), value);
  }
  return found;
}
