/** Two threads, one over and one under: a weft. */
export function Logo() {
  return (
    <svg
      viewBox="0 0 24 24"
      className="size-6 shrink-0 text-accent"
      aria-hidden
      fill="none"
      strokeWidth={2.6}
    >
      <path d="M2.5 8c4.5 0 5 8 9.5 8s5-8 9.5-8" stroke="currentColor" strokeLinecap="round" />
      <path
        d="M2.5 16c1.9 0 3.1-1.4 4.1-3M10.2 9.2C10.800 8.400 11.400 8 12 8c1.400 0 2.400 1.200 3.300 2.600M17.800 14.400c1 1 2.200 1.600 3.700 1.600"
        stroke="currentColor"
        strokeLinecap="round"
        opacity={0.45}
      />
    </svg>
  );
}
