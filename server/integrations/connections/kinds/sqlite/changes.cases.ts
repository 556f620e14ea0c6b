import type { Changes } from '../../testing/changes.ts';

export default { hidden: undefined, lines: {} } satisfies Changes;
