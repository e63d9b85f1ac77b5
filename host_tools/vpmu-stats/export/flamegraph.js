// SPDX-License-Identifier: GPL-2.0-or-later
// The script in each flame graph. A click zooms to a frame; Reset zoom or Escape zooms out. Search,
// or Ctrl-F, takes a regular expression, highlights the frames that match it and shows their share.
'use strict';
(function () {
  const id = name => document.getElementById(name);
  const margin = 10, width = 1200;
  const frames = Array.from(id('frames').children, g => {
    const rect = g.querySelector('rect'), title = g.querySelector('title').textContent;
    return { g, rect, title, text: g.querySelector('text'),
      name: title.replace(/ \([0-9,]+ samples, .*\)$/, ''), fill: rect.getAttribute('fill'),
      x: rect.x.baseVal.value - margin, y: rect.y.baseVal.value,
      w: rect.width.baseVal.value };
  });
  const label = (name, w) => {
    const room = Math.floor(w / 7.2), all = Array.from(name);
    return room < 3 ? '' : all.length <= room ? name : all.slice(0, room - 2).join('') + '..';
  };
  const zoom = to => {
    const scale = width / to.w, slack = 0.02;
    for (const f of frames) {
      const below = f.y > to.y && f.x <= to.x + slack && f.x + f.w >= to.x + to.w - slack;
      const inside = f.x >= to.x - slack && f.x + f.w <= to.x + to.w + slack && f.y <= to.y;
      const x = below ? 0 : (f.x - to.x) * scale, w = below ? width : f.w * scale;
      f.g.style.display = below || inside ? '' : 'none';
      f.g.style.opacity = below && f !== to ? 0.5 : 1;
      f.rect.setAttribute('x', margin + x);
      f.rect.setAttribute('width', w);
      f.text.setAttribute('x', margin + x + 3);
      f.text.textContent = label(f.name, w);
    }
    id('reset').setAttribute('visibility', to.w < width - 0.01 ? 'visible' : 'hidden');
  };
  const reset = () => zoom({ x: 0, y: Infinity, w: width });
  const search = () => {
    const wanted = prompt('Regular expression, or nothing', '');
    if (wanted === null) { return; }
    let pattern;
    try { pattern = wanted && new RegExp(wanted); } catch (e) { alert(e.message); return; }
    const found = frames.filter(f => {
      const match = pattern && pattern.test(f.name);
      f.rect.setAttribute('fill', match ? 'rgb(230,0,230)' : f.fill);
      return match;
    }).sort((a, b) => a.x - b.x || b.w - a.w);
    let sum = 0, end = 0;
    for (const f of found) {
      sum += Math.max(0, f.x + f.w - Math.max(end, f.x));
      end = Math.max(end, f.x + f.w);
    }
    id('matched').textContent = pattern ? `Matched: ${(100 * sum / width).toFixed(2)}%` : '';
  };
  for (const f of frames) {
    f.g.addEventListener('click', () => zoom(f));
    f.g.addEventListener('mouseover', () => { id('details').textContent = f.title; });
    f.g.addEventListener('mouseout', () => { id('details').textContent = ''; });
  }
  id('reset').addEventListener('click', reset);
  id('search').addEventListener('click', search);
  window.addEventListener('keydown', e => {
    if (e.key === 'Escape') { reset(); }
    if (e.ctrlKey && e.key === 'f') { e.preventDefault(); search(); }
  });
}());
