/**
 * Finds the ends of HTTP/1.1 responses in the data of a socket. It supports only responses with a content length, since
 * the client must never limit a measurement.
 */
export type OnResponse = (status: number, body: Buffer) => void;

const HEAD_END = Buffer.from('\r\n\r\n');
const HTTP = 'HTTP/1.1 '.length;
const ZERO = 48;

/** Takes pieces in order; calls `onResponse` once per response. Throws if it cannot read a response. */
export function createResponseReader(onResponse: OnResponse): (piece: Buffer) => void {
  let rest: Buffer | undefined;
  /** Position of the length in the last response; answers of one route rarely differ in it. */
  let known = 0;

  function lengthOf(head: Buffer): number {
    if (!isLengthAt(head, known)) known = findLength(head);
    let length = 0;
    for (let at = known; ; at++) {
      const digit = (head[at] as number) - ZERO;
      if (!(digit >= 0 && digit <= 9)) return length;
      length = length * 10 + digit;
    }
  }

  return (piece) => {
    let data = rest === undefined ? piece : Buffer.concat([rest, piece]);
    rest = undefined;
    while (data.length > 0) {
      const headEnd = data.indexOf(HEAD_END);
      const bodyStart = headEnd + HEAD_END.length;
      const end = headEnd < 0 ? Number.POSITIVE_INFINITY : bodyStart + lengthOf(data.subarray(0, bodyStart));
      if (end > data.length) {
        // The piece is in a buffer that is reused.
        rest = Buffer.from(data);
        return;
      }
      onResponse(statusOf(data), data.subarray(bodyStart, end));
      data = data.subarray(end);
    }
  };
}

function statusOf(head: Buffer): number {
  const [a = 0, b = 0, c = 0] = [head[HTTP], head[HTTP + 1], head[HTTP + 2]];
  return (a - ZERO) * 100 + (b - ZERO) * 10 + (c - ZERO);
}

const NAME = '\r\ncontent-length: ';

/** Whether the digits of the length start here: compared from the end, where header names differ. */
function isLengthAt(head: Buffer, at: number): boolean {
  if (at < NAME.length || at >= head.length) return false;
  for (let i = NAME.length - 1; i >= 0; i--) {
    if (((head[at - NAME.length + i] as number) | 0x20) !== (NAME.charCodeAt(i) | 0x20)) return false;
  }
  return true;
}

function findLength(head: Buffer): number {
  const at = head.toString('latin1').toLowerCase().indexOf(NAME);
  if (at < 0) throw new Error(`A response without a content length: ${head.toString('latin1')}`);
  return at + NAME.length;
}
