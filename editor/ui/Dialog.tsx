import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, type Ref, type RefObject, useRef, useState } from 'react';
import { cx } from './cx.ts';
import { popupBox } from './styles.ts';

interface DialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the main one last. */
  footer?: ReactNode;
  size?: 'sm' | 'md' | 'lg' | 'full';
  /** The first field takes the focus, or what this selector finds, not the first button before it. */
  focusField?: boolean | string;
  /** Names content without fields, which is a Tab stop so that the keyboard can scroll it. */
  scrolled?: string;
  /** Cannot be dismissed: only the buttons close it. */
  mandatory?: boolean;
}

const LOW = 'top-[12vh] max-h-[76vh]';
const SIZES = {
  sm: `${LOW} max-w-105`,
  md: `${LOW} max-w-140`,
  lg: `${LOW} max-w-220`,
  full: 'top-[4vh] h-[92vh] max-w-400',
} as const;

const FIELDS = 'input, textarea, .cm-content';

/** Its content is marked, so that typing replaces it. */
function firstField(content: HTMLElement | null, selector: string): HTMLElement | true {
  const field = content?.querySelector<HTMLElement>(selector);
  if (field instanceof HTMLInputElement) field.select();
  return field ?? true;
}

function Heading({ title, description }: Pick<DialogProps, 'title' | 'description'>) {
  return (
    <div className="pt-3.5 pr-12 pb-2 pl-4">
      <Base.Title className="text-[15px] leading-6 font-semibold">{title}</Base.Title>
      {description && (
        <Base.Description render={<div />} className="mt-1 text-text-2">
          {description}
        </Base.Description>
      )}
    </div>
  );
}

/** A modal dialog: title, text, content that scrolls, buttons. Escape and a click outside close it. */
export function Dialog(props: DialogProps) {
  const { open, onOpenChange, mandatory } = props;
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => !(mandatory && !next) && onOpenChange(next)}
      disablePointerDismissal={mandatory ?? false}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40 transition-opacity duration-100 data-starting-style:opacity-0 data-ending-style:opacity-0" />
        <Popup {...props} />
      </Base.Portal>
    </Base.Root>
  );
}

function Popup(props: DialogProps) {
  const { title, description, children, footer, size = 'md', mandatory, scrolled, focusField } = props;
  const content = useRef<HTMLDivElement>(null);
  const closeButton = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const finalFocus = useFocusBack(popup);
  return (
    <Base.Popup
      ref={popup}
      finalFocus={finalFocus}
      {...(scrolled !== undefined && { initialFocus: closeButton })}
      {...(focusField && {
        initialFocus: () => firstField(content.current, focusField === true ? FIELDS : focusField),
      })}
      className={cx(
        popupBox,
        'fixed left-1/2 z-40 flex w-[calc(100vw-2rem)] -translate-x-1/2 flex-col overflow-hidden',
        SIZES[size],
      )}
    >
      <Heading title={title} description={description} />
      {children && (
        <div
          ref={content}
          {...(scrolled !== undefined && { tabIndex: 0, role: 'group', 'aria-label': scrolled })}
          className="min-h-0 flex-1 overflow-y-auto px-4 pt-1 pb-4 focus-visible:-outline-offset-2"
        >
          {children}
        </div>
      )}
      {footer && (
        <div className="flex flex-wrap justify-end gap-2 border-t border-line bg-surface-2 px-4 py-3 first:border-0">
          {footer}
        </div>
      )}
      {/* Last, so that the first field or button gets the initial focus. */}
      {!mandatory && <CloseButton ref={closeButton} />}
    </Base.Popup>
  );
}

/** The focus goes back to where it was: a field that takes it at once would otherwise be noted as that place. */
function useFocusBack(popup: RefObject<HTMLElement | null>): () => HTMLElement | boolean {
  const [before] = useState(() => document.activeElement);
  return () => {
    const now = document.activeElement;
    // Whoever closed it has moved the focus already.
    if (now && now !== document.body && !popup.current?.contains(now)) return false;
    const isThere = before instanceof HTMLElement && before.isConnected && before !== document.body;
    return isThere ? before : true;
  };
}

function CloseButton({ ref }: { ref: Ref<HTMLButtonElement> }) {
  return (
    <Base.Close
      ref={ref}
      aria-label="Close"
      className="absolute top-3 right-3 inline-flex size-7 items-center justify-center rounded-md text-text-2 hover:bg-surface-3"
    >
      <X aria-hidden className="size-4" />
    </Base.Close>
  );
}
