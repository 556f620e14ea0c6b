import { useServer } from '../session/app-context.tsx';
import { Kbd } from '../ui/Kbd.tsx';
import { popupBox } from '../ui/styles.ts';
import { cx } from '../ui/cx.ts';
import { groupsFor } from './screens.ts';

/** The letters after `g`, while it waits for one. */
export function GoHint() {
  const groups = groupsFor(useServer((state) => state.session));
  return (
    <div
      role="status"
      aria-label="Go to"
      className={cx(popupBox, 'fixed bottom-6 left-1/2 z-50 flex -translate-x-1/2 gap-6 px-5 py-4')}
    >
      {groups.map(({ title, screens }) => (
        <div key={title} className="flex flex-col gap-1">
          <p className="text-[11px] font-medium text-text-2">{title}</p>
          {screens.map(({ label, letter }) => (
            <p key={label} className="flex items-center gap-2 whitespace-nowrap">
              <Kbd keys={letter} /> {label}
            </p>
          ))}
        </div>
      ))}
      <p className="flex items-center gap-2 self-start whitespace-nowrap">
        <Kbd keys="F1" /> Help
      </p>
    </div>
  );
}
