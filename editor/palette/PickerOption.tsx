import { useEffect, useRef } from 'react';
import type { OperatorInfo } from '#shared/catalog.ts';
import { OPERATOR_MIME } from '../model/operator-drag.ts';
import { cx } from '../ui/cx.ts';
import { OperatorIcon } from '../ui/OperatorIcon.tsx';

interface PickerOptionProps {
  id: string;
  info: OperatorInfo;
  marked: boolean;
  /** `byMouse`: the hand is at the mouse. */
  onChoose(info: OperatorInfo, byMouse?: boolean): void;
}

/** One operator with one line about it: click it, or drag it to its place on the canvas. */
export function PickerOption({ id, info, marked, onChoose }: PickerOptionProps) {
  const element = useRef<HTMLDivElement>(null);
  const from = info.service?.title ?? info.package;
  useEffect(() => {
    if (marked) element.current?.scrollIntoView({ block: 'nearest' });
  }, [marked]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search field has the focus and handles the keys
    <div
      ref={element}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={marked}
      data-operator={info.type}
      draggable
      onDragStart={({ dataTransfer }) => {
        dataTransfer.setData(OPERATOR_MIME, info.type);
        dataTransfer.effectAllowed = 'copy';
      }}
      onClick={() => onChoose(info, true)}
      className={cx(
        'flex cursor-default items-center gap-2 rounded-md px-1.5 py-1',
        marked ? 'bg-surface-3' : 'hover:bg-surface-2',
      )}
    >
      <OperatorIcon info={info} />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-1.5 leading-4.5">
          <bdi className="truncate font-medium" title={info.title}>
            {info.title}
          </bdi>
          {from !== undefined && (
            <span className="max-w-1/2 shrink-0 truncate text-[11px] text-text-2">{from}</span>
          )}
        </span>
        <span className="block truncate text-[11px] leading-4 text-text-2" title={info.doc}>
          {info.doc.replaceAll('`', '')}
        </span>
      </span>
    </div>
  );
}
