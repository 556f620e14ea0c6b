import { type Changes, serverLines } from '../../testing/changes.ts';

export default {
  hidden: 'password',
  lines: { ...serverLines, begins: { from: 'encrypted', refused: ['plain', 'auto'] } },
  left: 'port',
} satisfies Changes;
