import type { Command } from '../commands/command.ts';
import { commands } from '../commands/index.ts';
import { helpAddress } from '../model/help-pages.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { Kbd } from '../ui/Kbd.tsx';
import { keyNames } from '../ui/keys.ts';
import { sectionTitle } from '../ui/styles.ts';

const GESTURES = [
  ['Select several', 'Shift-drag, or Mod-click nodes'],
  ['Move the canvas', 'Drag it, Space-drag, middle button'],
  ['Zoom', 'Wheel or pinch'],
  ['Add a node', 'Double-click the canvas, or press N and drag from the list'],
  ['Connect', 'Drag from port to port, or click one and then the other'],
  ['Insert into a wire', 'Plus on the wire'],
] as const;

/** All shortcuts at a glance, from the commands themselves. */
export function ShortcutSheet({ onClose }: { onClose(): void }) {
  const groups = new Map<string, Command[]>();
  for (const command of commands) {
    if (command.keys) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  }
  return (
    <Dialog open onOpenChange={onClose} size="lg" title="Keyboard shortcuts" scrolled="Shortcuts by group">
      <div className="gap-8 sm:columns-2">
        {[...groups].map(([group, members]) => (
          <section key={group} className="mb-4 break-inside-avoid">
            <h3 className={sectionTitle}>{group}</h3>
            <dl className="mt-1">
              {members.map((command) => (
                <div key={command.id} className="flex min-h-7 items-center gap-2 border-b border-line/60">
                  <dt className="min-w-0 flex-1">{command.label}</dt>
                  <dd className="flex gap-1.5">
                    {command.keys?.map((keys) => (
                      <span key={keys}>
                        <Kbd keys={keys} />
                        <span translate="no" className="sr-only">
                          {keyNames(keys).join(' ')}
                        </span>
                      </span>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <section className="mb-4 break-inside-avoid">
          <h3 className={sectionTitle}>Mouse and touch</h3>
          <dl className="mt-1">
            {GESTURES.map(([what, how]) => (
              <div key={what} className="flex min-h-7 items-center gap-2 border-b border-line/60">
                <dt className="flex-1">{what}</dt>
                <dd className="text-right text-text-2">{how}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      <p>
        Everything else is in the{' '}
        <a href={helpAddress('')} target="_blank" rel="noopener" className="text-accent underline">
          help
        </a>
        .
      </p>
    </Dialog>
  );
}
