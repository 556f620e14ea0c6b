import { setImmediate as nextTurn } from 'node:timers/promises';

/** The usual slice, in bytes. */
const SLICE = 64 * 1024;
/** The longest time that other work waits, beside one slice, in milliseconds. */
const STRETCH_MS = 5;
/** Steps of a walk between two looks at the clock. */
const STEPS = 20_000;

const quote = 0x22;
const comma = 0x2c;
const bracket = 0x5b;
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Details of the JSON to read. */
interface Terms {
  /** The position of the quote that ends a text, or a later one than the last byte. */
  endOf(body: Buffer, from: number): number;
  /** Sees each piece of text that was parsed. */
  check(text: string): void;
  /** Bytes parsed without a pause. */
  readonly slice?: number;
}

/**
 * The value of JSON text (UTF-8), as `JSON.parse` returns it, with pauses for other work. Rejects, without a reason, where
 * `JSON.parse` throws. Names must not be `__proto__`.
 *
 * RI1. Only objects and lists longer than a slice are taken apart: their members are parsed in groups.
 */
export async function readInSlices(body: Buffer, terms: Terms): Promise<unknown> {
  const reader = new SlicedReader(body, terms);
  await reader.findLarge();
  return reader.whole();
}

class SlicedReader {
  private readonly body: Buffer;
  private readonly terms: Terms;
  private readonly slice: number;
  /** The ends of the large objects and lists, by their beginnings: positions of the brackets. */
  private readonly ends = new Map<number, number>();
  private since = performance.now();
  private steps = 0;

  constructor(body: Buffer, terms: Terms) {
    this.body = body;
    this.terms = terms;
    this.slice = terms.slice ?? SLICE;
  }

  async findLarge(): Promise<void> {
    const { body } = this;
    const open: number[] = [];
    for (let at = 0; at < body.length; at++) {
      const byte = body[at] as number;
      if (byte === quote) at = this.endOfText(at);
      else if ((byte | 0x20) === 0x7b) open.push(at);
      else if ((byte | 0x20) === 0x7d) {
        const from = open.pop();
        if (from === undefined || (body[from] as number) + 2 !== byte) throw unreadable();
        if (at - from > this.slice) this.ends.set(from, at);
      }
      if (++this.steps % STEPS === 0) await this.pause();
    }
    if (open.length > 0) throw unreadable();
  }

  async whole(): Promise<unknown> {
    const { body } = this;
    const from = this.ends.size === 0 ? -1 : Math.min(...this.ends.keys());
    const end = this.ends.get(from);
    // The rest around it is small, or nothing.
    if (end === undefined) return this.parsed(body.toString('utf8').replace(/^\uFEFF/, ''));
    const start = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
    if (!this.isBlank(start, from) || !this.isBlank(end + 1, body.length)) throw unreadable();
    return this.large(from, end);
  }

  /** The object or list between these brackets. */
  private async large(from: number, end: number): Promise<unknown> {
    const { body } = this;
    const target: Target = body[from] === bracket ? [] : {};
    let depth = 0;
    let group = from + 1;
    let member = group;
    for (let at = group; at < end; at++) {
      const byte = body[at] as number;
      if (byte === quote) at = this.endOfText(at);
      else if (byte === comma && depth === 0) {
        member = at + 1;
        if (at - group > this.slice) {
          this.add(target, group, at);
          group = member;
        }
      } else {
        const turn = turnOf(byte);
        // One within a small one is small itself, so a large one is a member.
        const last = turn === 1 ? this.ends.get(at) : undefined;
        if (last === undefined) depth += turn;
        else {
          this.add(target, group, member - 1);
          put(target, body.toString('utf8', member, at), await this.large(at, last));
          at = this.commaBehind(last + 1, end);
          group = member = at + 1;
        }
      }
      if (++this.steps % STEPS === 0) await this.pause();
    }
    this.addRest(target, { first: from + 1, group, end });
    await this.pause();
    return target;
  }

  /** Adds the members behind the last group; an empty rest is allowed only in an empty object or list. */
  private addRest(
    target: Target,
    { first, group, end }: { readonly first: number; readonly group: number; readonly end: number },
  ): void {
    if (group > end || (group === first && this.isBlank(group, end))) return;
    this.add(target, group, end);
  }

  /** Members with commas between them; none if `to` is before `from`. */
  private add(target: Target, from: number, to: number): void {
    if (to < from) return;
    const text = this.body.toString('utf8', from, to);
    if (!/\S/.test(text)) throw unreadable();
    if (Array.isArray(target)) for (const item of this.parsed(`[${text}]`) as unknown[]) target.push(item);
    else Object.assign(target, this.parsed(`{${text}}`));
  }

  private parsed(text: string): unknown {
    const value: unknown = JSON.parse(text);
    this.terms.check(text);
    return value;
  }

  /** The closing quote. */
  private endOfText(from: number): number {
    const at = this.terms.endOf(this.body, from + 1);
    if (at >= this.body.length) throw unreadable();
    return at;
  }

  /** `end` if there is none. */
  private commaBehind(from: number, end: number): number {
    const found = this.body.subarray(from, end).indexOf(comma);
    const at = found === -1 ? end : from + found;
    if (!this.isBlank(from, at)) throw unreadable();
    return at;
  }

  private isBlank(from: number, to: number): boolean {
    for (let at = from; at < to; at++) if (!BLANKS.has(this.body[at] as number)) return false;
    return true;
  }

  private async pause(): Promise<void> {
    if (performance.now() - this.since < STRETCH_MS) return;
    await nextTurn();
    this.since = performance.now();
  }
}

/** The change of the depth by a byte. */
function turnOf(byte: number): number {
  const small = byte | 0x20;
  if (small === 0x7b) return 1;
  return small === 0x7d ? -1 : 0;
}

type Target = unknown[] | Record<string, unknown>;

/** `before`: the text before the value in its list or object. */
function put(target: Target, before: string, value: unknown): void {
  if (Array.isArray(target)) {
    if (/\S/.test(before)) throw unreadable();
    target.push(value);
    return;
  }
  // Not a number, which digits before it would be a part of.
  const names = Object.keys(JSON.parse(`{${before}null}`) as object);
  if (names.length !== 1) throw unreadable();
  target[names[0] as string] = value;
}

const unreadable = (): Error => new Error('This is no JSON.');
