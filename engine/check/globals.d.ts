/** Standard in Node and in browsers, but missing in the libraries that this project may use. */
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean });
  decode(bytes: Uint8Array): string;
}
