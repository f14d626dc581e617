// Pieces that are dragged: pressing on one chooses it, letting go chooses where it goes.

/** How far the pointer goes before it is no click any more, in pixels. */
const FAR = 6;

/**
 * Lets the pieces on the boards inside `place` be dragged. `accepts` says whether a spot can be chosen now, `choose`
 * chooses it, and `drop` gives up what was begun. Whether the last press became a drag is told by what is returned.
 */
export function draggable(place, { accepts, choose, drop }) {
  let press = null;
  let dragged = false;

  const under = (event) => {
    const spot = document.elementFromPoint(event.clientX, event.clientY)?.closest('.spot');
    return spot && place.contains(spot) ? Number(spot.dataset.spot) : null;
  };

  const lift = () => {
    choose(press.spot);
    const group = place.querySelector(`[data-spot="${press.spot}"]`);
    press.svg = group?.ownerSVGElement ?? null;
    press.marks = group ? [...group.querySelectorAll('.mark')] : [];
    // Over the other pieces.
    press.svg?.append(group);
    group?.classList.add('lifted');
  };

  place.addEventListener('pointerdown', (event) => {
    const spot = event.target.closest('.spot.held');
    dragged = false;
    press = null;
    if (!spot || event.button !== 0 || !accepts(Number(spot.dataset.spot))) return;
    press = { spot: Number(spot.dataset.spot), x: event.clientX, y: event.clientY, id: event.pointerId, marks: [], svg: null };
  });

  const move = (event) => {
    if (!press || event.pointerId !== press.id) return;
    const [dx, dy] = [event.clientX - press.x, event.clientY - press.y];
    if (!dragged) {
      if (Math.hypot(dx, dy) < FAR) return;
      dragged = true;
      lift();
    }
    const scale = press.svg?.getScreenCTM()?.a || 1;
    for (const mark of press.marks) mark.style.translate = `${dx / scale}px ${dy / scale}px`;
  };

  const end = (event) => {
    if (!press || event.pointerId !== press.id) return;
    const began = press;
    press = null;
    if (!dragged) return;
    for (const mark of began.marks) mark.style.pointerEvents = 'none';
    const to = event.type === 'pointerup' ? under(event) : null;
    if (to !== null && to !== began.spot && accepts(to)) choose(to);
    else drop();
  };

  document.addEventListener('pointermove', move);
  document.addEventListener('pointerup', end);
  document.addEventListener('pointercancel', end);
  return {
    /** True once for a click that a drag ended with. */
    wasDragged() {
      const was = dragged;
      dragged = false;
      return was;
    },
    stop() {
      document.removeEventListener('pointermove', move);
      document.removeEventListener('pointerup', end);
      document.removeEventListener('pointercancel', end);
    },
  };
}
