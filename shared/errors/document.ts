import type { ErrorEntry } from './entry.ts';

/** Tables and documents. */
export const documentErrors = {
  document_unreadable: {
    status: 422,
    meaning: 'The document is broken, or is not of the kind that the node reads.',
    remedy:
      'See the message for what is wrong. Check the file with the program that made it, and whether the node fits its kind.',
  },
  document_too_large: {
    status: 413,
    meaning: 'The document is larger than the limit, or takes too much memory when it is unpacked.',
    remedy:
      'Raise `maxBytes` of the node, or split the document. A small file that unpacks to a huge one is always refused.',
  },
} as const satisfies Record<string, ErrorEntry>;
