import { z } from 'zod';

/** A token of RFC 9110, section 5.6.2. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Characters that Node can send: printable Latin-1 and tabs, so no line break that would start another header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** The server sets these itself; another value would break the answer. */
const FRAMING = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers by name, as an answer may carry them. */
export const headerFields = z.record(
  z
    .string()
    .max(200)
    .regex(HEADER_NAME, 'must be a header name')
    .refine((name) => !FRAMING.has(name.toLowerCase()), 'is set by the server'),
  z.string().max(8000).regex(HEADER_VALUE, 'must be printable text on one line'),
);
