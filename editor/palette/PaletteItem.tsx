import type { DragEvent } from 'react';
import type { OperatorInfo } from '#shared/catalog.ts';
import { OPERATOR_MIME } from '../model/operator-drag.ts';
import { cx } from '../ui/cx.ts';
import { Kbd } from '../ui/Kbd.tsx';
import { docLine, OperatorLine } from './OperatorLine.tsx';

interface PaletteItemProps {
  info: OperatorInfo;
  /** Whether Enter in the search field adds this one. */
  isFirst: boolean;
  /** Whether Tab leads to this one. */
  isStop: boolean;
  onFocus(): void;
  onAdd(type: string): void;
}

/** One operator: drag it onto the canvas or click it. */
export function PaletteItem({ info, isFirst, isStop, onFocus, onAdd }: PaletteItemProps) {
  const onDragStart = (event: DragEvent) => {
    event.dataTransfer.setData(OPERATOR_MIME, info.type);
    event.dataTransfer.effectAllowed = 'copy';
  };
  return (
    <button
      type="button"
      draggable
      tabIndex={isStop ? 0 : -1}
      onFocus={onFocus}
      title={docLine(info)}
      data-operator={info.type}
      onDragStart={onDragStart}
      onClick={() => onAdd(info.type)}
      className={cx(
        'flex w-full cursor-grab items-center gap-2 rounded-md px-1.5 py-1 text-left hover:bg-surface-3 active:cursor-grabbing',
        isFirst && 'bg-surface-2 ring-1 ring-line',
      )}
    >
      <OperatorLine info={info} />
      {isFirst && <Kbd keys="Enter" />}
    </button>
  );
}
