import { type Changes, serverLines } from '../../testing/changes.ts';

export default {
  hidden: 'password',
  lines: { ...serverLines, database: { from: 1, refused: [2] } },
  left: 'port',
} satisfies Changes;
