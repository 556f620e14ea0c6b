import { arrangeCommands } from './arrange.ts';
import type { Command } from './command.ts';
import { containerCommands } from './container.ts';
import { editCommands } from './edit.ts';
import { fileCommands } from './file.ts';
import { helpCommands } from './help.ts';
import { nodeCommands } from './node.ts';
import { paletteCommands } from './palette.ts';
import { partRunCommands } from './part-run.ts';
import { pictureCommands } from './picture.ts';
import { resizeCommands } from './resize.ts';
import { runCommands } from './run.ts';
import { viewCommands } from './view.ts';

/** Every command of the editor, in the order of lists. */
export const commands: readonly Command[] = [
  ...fileCommands,
  ...runCommands,
  ...partRunCommands,
  ...editCommands,
  ...paletteCommands,
  ...nodeCommands,
  ...containerCommands,
  ...arrangeCommands,
  ...resizeCommands,
  ...pictureCommands,
  ...viewCommands,
  ...helpCommands,
];

/** The commands of a context menu, in order. */
export function commandsOfMenu(menu: NonNullable<Command['menu']>[number]): readonly Command[] {
  return commands.filter((command) => command.menu?.includes(menu));
}
