/** Standard in Node and in browsers, but in none of the libraries this project may name. */
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean });
  decode(bytes: Uint8Array): string;
}
