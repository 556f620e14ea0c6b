import { connect } from 'node:net';
import { fc } from './property.ts';

/** A form as senders write it, to be damaged. */
const PARTS = [
  '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n',
  '--b\r\nContent-Disposition: form-data; name="doc"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nHello\r\n',
  '--b\r\nContent-Disposition: form-data; name="doc"; filename*=UTF-8\'\'%e2%80%ae.exe\r\n\r\n--b \r\n--bx\r\n',
  '--b\r\nContent-Type: application/octet-stream\r\n\r\n\0\0\r\n',
  '--b\r\nContent-Disposition: form-data; name="__proto__"; filename="../../x"\r\n\r\nx\r\n',
  '--b\r\n\r\n\r\n',
  '--b--\r\n',
  'preamble',
];
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PARTS) },
  fc.constantFrom('--b', '\r\n', '\r', '\n', '--', ';', '"', ':', 'name=', '\0', 'b'),
  fc.string({ maxLength: 20, unit: 'binary' }),
);
const body = fc
  .tuple(fc.array(piece, { maxLength: 12 }), fc.boolean(), fc.nat(400), fc.nat(40))
  .map(([pieces, isClosed, at, cut]) => {
    const whole = Buffer.from(pieces.join('') + (isClosed ? '--b--\r\n' : ''));
    return cut % 3 === 0 ? Buffer.concat([whole.subarray(0, at), whole.subarray(at + cut)]) : whole;
  });
const type = fc.constantFrom(
  'multipart/form-data; boundary=b',
  'multipart/form-data; boundary="b"',
  'multipart/form-data; BOUNDARY=b; charset=x',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'Multipart/Form-Data;boundary=b',
);

/** A multipart body by chance. */
export interface DamagedForm {
  readonly type: string;
  readonly body: Buffer;
  /** How many bytes of the announced length never come. */
  readonly missing: number;
}

export const damagedForms: fc.Arbitrary<DamagedForm> = fc.record({
  type,
  body,
  missing: fc.constantFrom(0, 0, 0, 5),
});

/** Sends it on a connection of its own; the text of the answer, which is empty for one that was cut off. */
export function sendDamaged(port: number, path: string, sent: DamagedForm): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1').on('data', (part: string) => (answer += part));
    socket.on('close', () => resolve(answer)).on('error', reject);
    const length = sent.body.length + sent.missing;
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nContent-Type: ${sent.type}\r\nContent-Length: ${length}\r\n\r\n`,
    );
    socket.write(sent.body);
    // Who ends before the announced length gets no answer.
    if (sent.missing > 0) socket.end();
  });
}
