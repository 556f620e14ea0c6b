/** Part of the Encoding standard, which browsers and servers have. */
declare class TextDecoder {
  constructor(label?: string);
  readonly encoding: string;
  decode(bytes?: Uint8Array): string;
}
