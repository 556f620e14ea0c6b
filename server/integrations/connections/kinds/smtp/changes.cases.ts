import { type Changes, serverLines } from '../../testing/changes.ts';

export default {
  hidden: 'password',
  lines: {
    ...serverLines,
    begins: { from: 'encrypted', refused: ['plain', 'auto'] },
    keep: { from: false, taken: [true] },
    from: { from: 'shop@example.com', taken: ['other@example.com'] },
  },
  left: 'port',
} satisfies Changes;
