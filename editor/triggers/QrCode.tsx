import encodeQR from 'qr';
import { useMemo } from 'react';

/** A text as a QR code; dark on light in both themes, since scanners expect that. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = useMemo(() => encodeQR(text, 'raw', { ecc: 'medium', border: 2 }), [text]);
  const path = rows
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
    .join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
      className="size-36 shrink-0 rounded-md border border-line bg-white"
    >
      <path d={path} fill="black" />
    </svg>
  );
}
