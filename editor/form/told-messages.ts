import { type FocusEvent, useState, useSyncExternalStore } from 'react';
import { formatPath, type Path } from '#engine/check';
import { afterPress } from '../ui/after-press.ts';
import { type FieldMessage, useForm } from './form-context.tsx';
import { hasLeft, leaveIn } from './form-view.ts';

interface Told {
  readonly messages: readonly FieldMessage[];
  onFocus(event: FocusEvent): void;
  onBlur(event: FocusEvent): void;
}

const never = () => () => undefined;

/**
 * The messages of a field that are told now: nobody is told of an error while writing what mends it. What was told already stays;
 * what is new is told when the focus has left the field.
 */
export function useToldMessages(path: Path, messages: readonly FieldMessage[]): Told {
  const { view } = useForm();
  const name = formatPath(path);
  const isLeft = useSyncExternalStore(
    view?.subscribe ?? never,
    () => !view || hasLeft(view.getState(), name),
  );
  const asked = useSyncExternalStore(view?.subscribe ?? never, () => view?.getState().asked ?? 0);
  const [seen, setSeen] = useState<{ readonly texts: ReadonlySet<string>; readonly asked: number }>();
  const before = seen?.asked === asked ? seen.texts : undefined;
  const isTold = ({ severity, text }: FieldMessage): boolean =>
    severity !== 'error' || (before ? before.has(text) : isLeft);
  return {
    messages: view && messages.length > 0 && !messages.every(isTold) ? messages.filter(isTold) : messages,
    onFocus: () => {
      const texts = isLeft ? messages.map(({ text }) => text) : [];
      if (view) setSeen((known) => known ?? { texts: new Set(texts), asked });
    },
    onBlur: ({ currentTarget, relatedTarget }) => {
      if (relatedTarget instanceof Node && currentTarget.contains(relatedTarget)) return;
      afterPress(() => {
        setSeen(undefined);
        leaveIn(view, name);
      });
    },
  };
}
