import { WeftError } from '#engine';

/** An error that Redis returns. */
export class Refusal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The answer of Redis to a command: a word, a value, null for a value that does not exist, or an error. */
export type Reply = string | Buffer | null | Refusal;

/** The most bytes of the first line of a reply; no word and no error of Redis is longer. */
const MAX_LINE = 4096;
const LF = 10;

/** A command in RESP2. */
export function commandOf(parts: readonly string[]): Buffer {
  const bytes = parts.map((part) => Buffer.from(part));
  return Buffer.concat([
    Buffer.from(`*${bytes.length}\r\n`),
    ...bytes.flatMap((part) => [Buffer.from(`$${part.length}\r\n`), part, Buffer.from('\r\n')]),
  ]);
}

/**
 * Reads one reply in RESP2, in pieces as they arrive.
 * REP1. A value above the limit is refused by its first line, before it arrives.
 * REP2. It holds at most twice the bytes that have arrived, and takes time in proportion to them.
 */
export class ReplyReader {
  private readonly maxBytes: number;
  /** Grows with the received bytes: pieces may be as small as a byte. */
  private room: Buffer = Buffer.alloc(0);
  private size = 0;
  /** The bytes of the value with its end, once the first line has been read. */
  private whole: number | undefined = undefined;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Returns the reply if the piece completes it. Throws `connection_failed` for bytes that are no reply, and `value_too_large`. */
  read(piece: Buffer): Reply | undefined {
    if (this.whole !== undefined) return this.value(piece);
    const end = piece.indexOf(LF);
    if (this.size + (end === -1 ? piece.length : end) > MAX_LINE) throw noRedis();
    if (end === -1) {
      this.add(piece);
      return undefined;
    }
    this.add(piece.subarray(0, end + 1));
    const line = this.taken().toString('utf8');
    const rest = piece.subarray(end + 1);
    if (!line.endsWith('\r\n')) throw noRedis();
    return this.begun(line.slice(0, 1), line.slice(1, -2), rest);
  }

  private begun(type: string, text: string, rest: Buffer): Reply | undefined {
    if (type === '$' && /^\d{1,10}$/.test(text)) {
      if (Number(text) > this.maxBytes) throw tooLarge(text, this.maxBytes);
      this.whole = Number(text) + 2;
      return rest.length > 0 ? this.value(rest) : undefined;
    }
    // One command has one reply.
    if (rest.length > 0) throw noRedis();
    if (type === '+') return text;
    if (type === '-') return new Refusal(text);
    if (type === '$' && text === '-1') return null;
    throw noRedis();
  }

  private value(piece: Buffer): Reply | undefined {
    const whole = this.whole as number;
    if (this.size + piece.length > whole) throw noRedis();
    this.add(piece);
    if (this.size < whole) return undefined;
    const bytes = this.taken();
    if (bytes[whole - 2] !== 13 || bytes[whole - 1] !== LF) throw noRedis();
    return bytes.subarray(0, -2);
  }

  private add(piece: Buffer): void {
    const size = this.size + piece.length;
    if (size > this.room.length) {
      const larger = Buffer.allocUnsafe(2 * size);
      this.room.copy(larger, 0, 0, this.size);
      this.room = larger;
    }
    this.room.set(piece, this.size);
    this.size = size;
  }

  private taken(): Buffer {
    const bytes = this.room.subarray(0, this.size);
    this.room = Buffer.alloc(0);
    this.size = 0;
    return bytes;
  }
}

function noRedis(): WeftError {
  return new WeftError('connection_failed', 'The server is not Redis: it sent an invalid answer.');
}

function tooLarge(bytes: string, maxBytes: number): WeftError {
  return new WeftError(
    'value_too_large',
    `The value has ${bytes} bytes, and may have ${maxBytes}: raise \`maxBytes\` of the node.`,
  );
}
