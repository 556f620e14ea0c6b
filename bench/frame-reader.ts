/**
 * Finds the frames in the data of a websocket server. It supports only whole, unmasked, uncompressed frames, since the
 * client must never limit a measurement.
 */
export type OnFrame = (opcode: number, payload: Buffer) => void;

export const opcodes = { text: 1, close: 8, ping: 9, pong: 10 } as const;

/** Takes pieces in order; calls `onFrame` once per frame. The payload is valid only until the callback returns. */
export function createFrameReader(onFrame: OnFrame): (piece: Buffer) => void {
  let rest: Buffer | undefined;
  return (piece) => {
    const data = rest === undefined ? piece : Buffer.concat([rest, piece]);
    rest = undefined;
    let at = 0;
    while (at < data.length) {
      const start = payloadStart(data, at);
      const end = start <= data.length ? start + payloadLength(data, at) : Number.POSITIVE_INFINITY;
      if (end > data.length) break;
      onFrame((data[at] as number) & 0x0f, data.subarray(start, end));
      at = end;
    }
    // The piece is in a buffer that is reused.
    if (at < data.length) rest = Buffer.from(data.subarray(at));
  };
}

const LENGTH_16 = 126;
const LENGTH_64 = 127;

function payloadStart(data: Buffer, at: number): number {
  const short = data[at + 1];
  if (short === LENGTH_64) return at + 10;
  return at + (short === LENGTH_16 ? 4 : 2);
}

function payloadLength(data: Buffer, at: number): number {
  const short = data[at + 1] as number;
  if (short === LENGTH_64) return Number(data.readBigUInt64BE(at + 2));
  return short === LENGTH_16 ? data.readUInt16BE(at + 2) : short;
}

/** A frame as a client sends it; its mask is zero, which changes nothing. `payload` has at most 125 bytes. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}
