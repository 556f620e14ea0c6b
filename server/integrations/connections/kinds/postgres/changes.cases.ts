import { type Changes, serverLines } from '../../testing/changes.ts';

export default {
  hidden: 'password',
  lines: { ...serverLines, database: { from: 'shop', refused: ['other'] } },
  left: 'port',
} satisfies Changes;
