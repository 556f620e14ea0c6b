// Both ends of the socket between server and sandbox host.

/**
 * WI1. A frame is its length in bytes (32 bits, little endian) and that much UTF-8: lines that each end with a
 *      line feed.
 * WI2. A line is one sign (its kind), the number of a call, the number of a unit, and a text without line feeds,
 *      which JSON never contains.
 * WI3. All lines of one turn travel in one frame.
 *
 * Server to host: `U` defines a unit · `C` calls it · `A` calls it alone · `G` starts a generator · `P` requests more
 * of its items · `I` items of its input · `E` the input's end · `F` the input's failure · `R`, `Q` result or failure
 * of a request of the code · `X` cancels · `Z` a unit is no longer used · `T` requests a sign
 * of life.
 * Host to server: `Y` is ready · `V` value · `T` thrown · `I` item · `D` the generator's end · `L` log · `H` a
 * request to the server · `B` accepts no more calls, it is ending · `W` requests items of the input · `K` stopped ·
 * `N` not done, to be run again · `M` nearly full, so other calls, and the given one, which has not begun, should run
 * elsewhere · `O` sign of life.
 */

/** Longest frame in bytes; a longer one is not read. */
export const MAX_FRAME = 32 * 1024 * 1024;

/**
 * @typedef {{ op: string, id: number, unit: number, text: string }} Line
 */

/** @type {(op: string, id: number, unit: number, text: string) => string} */
export function line(op, id, unit, text) {
  return `${op}${id} ${unit} ${text}\n`;
}

/** @type {(text: string) => Line} */
export function readLine(text) {
  const first = text.indexOf(' ');
  const second = text.indexOf(' ', first + 1);
  return {
    op: text.charAt(0),
    id: Number(text.slice(1, first)),
    unit: Number(text.slice(first + 1, second)),
    text: text.slice(second + 1),
  };
}

/** @type {(text: string) => Buffer} */
export function frame(text) {
  const size = Buffer.byteLength(text);
  const buffer = Buffer.allocUnsafe(4 + size);
  buffer.writeUInt32LE(size, 0);
  buffer.write(text, 4);
  return buffer;
}

/** Assembles frames from what a socket delivers. */
export class FrameReader {
  /** @type {Buffer[]} */
  #chunks = [];
  #size = 0;
  /** Bytes of the frame that is being read, header included; 0 while that is unknown. */
  #wanted = 0;

  /**
   * Returns the lines of every complete frame. Throws a RangeError if a frame would be too long.
   *
   * @type {(chunk: Buffer) => string[]}
   */
  push(chunk) {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    /** @type {string[]} */
    let lines = [];
    while (this.#size >= 4) {
      if (this.#wanted === 0) this.#wanted = this.#readHead();
      if (this.#size < this.#wanted) break;
      const found = this.#take();
      lines = lines.length === 0 ? found : lines.concat(found);
    }
    return lines;
  }

  #readHead() {
    const size = this.#joined().readUInt32LE(0);
    if (size > MAX_FRAME) throw new RangeError(`A frame of ${size} bytes is too long.`);
    return size + 4;
  }

  #take() {
    const all = this.#joined();
    const text = all.toString('utf8', 4, this.#wanted);
    const rest = all.subarray(this.#wanted);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    this.#wanted = 0;
    const lines = text.split('\n');
    lines.pop();
    return lines;
  }

  #joined() {
    const [only] = this.#chunks;
    if (this.#chunks.length === 1 && only) return only;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}
