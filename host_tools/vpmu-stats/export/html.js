// SPDX-License-Identifier: GPL-2.0-or-later
// The script of a page: draws the data that vpmu-stats has put into it.
'use strict';
(function () {
  const data = JSON.parse(document.getElementById('data').textContent);
  const page = document.getElementById('page');
  const number = new Intl.NumberFormat('en');
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  const section = title => {
    const box = make('section', {}, make('h2', { textContent: title }));
    page.append(box);
    return box;
  };
  const share = (part, all) => all ? 100 * part / all : 0;
  const percent = value => `${value.toFixed(2)}%`;
  const hue = (text, from, range) => {
    let hash = 2166136261;
    for (const c of text) { hash = Math.imul(hash ^ c.codePointAt(0), 16777619); }
    return from + ((hash ^ hash >>> 15) >>> 0) % range;
  };

  const head = () => {
    const seconds = (data.last - data.first) / 1e9;
    page.append(make('h1', { textContent: data.event }),
      make('p', { className: 'soft', textContent:
        `${number.format(data.samples)} samples, ${number.format(data.period)} events` +
        (data.lost ? `, ${number.format(data.lost)} samples lost` : '') +
        (data.cpus.length ? `; ${data.cpus.length} vCPU${data.cpus.length === 1 ? '' : 's'}, ${seconds.toFixed(3)} s` : '') }));
    document.title = `${data.event} - vpmu-stats`;
  };

  // Timeline: for each vCPU a bar for each part of the time, as high as there are events.
  const timeline = () => {
    if (!data.cpus.length) { return; }
    const box = section('Timeline'), info = make('p', { className: 'info soft' });
    const threads = new Map();
    let most = 1;
    for (const cpu of data.cpus) {
      cpu.sums = new Map();
      for (const [bin, comm, events] of cpu.bars) {
        threads.set(comm, (threads.get(comm) || 0) + events);
        cpu.sums.set(bin, (cpu.sums.get(bin) || 0) + events);
        most = Math.max(most, cpu.sums.get(bin));
      }
    }
    const sorted = [...threads].sort((a, b) => b[1] - a[1]).map(([comm]) => comm);
    const color = comm => {
      const place = sorted.indexOf(comm);
      return place < 8 ? `hsl(${210 + place * 47} 60% 55%)` : 'hsl(0 0% 55%)';
    };
    const draw = (canvas, cpu) => {
      const width = canvas.clientWidth, height = canvas.clientHeight, scale = devicePixelRatio || 1;
      canvas.width = width * scale;
      canvas.height = height * scale;
      const context = canvas.getContext('2d'), below = new Map();
      context.scale(scale, scale);
      for (const [bin, comm, events] of cpu.bars) {
        const base = below.get(bin) || 0, high = height * events / most;
        context.fillStyle = color(comm);
        context.fillRect(bin * width / data.bins, height - base - high, width / data.bins + 0.3, high);
        below.set(bin, base + high);
      }
    };
    for (const cpu of data.cpus) {
      const canvas = make('canvas');
      canvas.addEventListener('mousemove', e => {
        const bin = Math.floor(e.offsetX / canvas.clientWidth * data.bins);
        const at = (data.last - data.first) * bin / data.bins / 1e9;
        const what = cpu.bars.filter(bar => bar[0] === bin)
          .map(([, comm, events]) => `${data.texts[comm]} ${number.format(events)}`).join(', ');
        info.textContent = `vCPU ${cpu.cpu}, ${at.toFixed(6)} s: ${what ? `${what} events` : 'no samples'}`;
      });
      box.append(make('div', { className: 'cpu' },
        make('span', { className: 'soft', textContent: `CPU ${cpu.cpu}` }), canvas));
      new ResizeObserver(() => draw(canvas, cpu)).observe(canvas);
    }
    const legend = make('div', { className: 'legend' });
    for (const comm of sorted.slice(0, 8)) {
      const mark = make('i');
      mark.style.background = color(comm);
      legend.append(make('span', {}, mark, data.texts[comm]));
    }
    if (sorted.length > 8) { legend.append(make('span', { textContent: `and ${sorted.length - 8} more threads` })); }
    box.append(legend, info);
  };

  // Flame graph: the outermost frame is at the top.
  const tree = () => {
    const root = { name: 'all', value: 0, samples: 0, children: new Map(), depth: 0 };
    for (const [samples, period, ...frames] of data.stacks) {
      let at = root;
      at.value += period;
      at.samples += samples;
      for (const frame of frames) {
        let child = at.children.get(frame);
        if (!child) {
          child = { name: data.texts[frame], value: 0, samples: 0, children: new Map(),
            depth: at.depth + 1, parent: at };
          at.children.set(frame, child);
        }
        child.value += period;
        child.samples += samples;
        at = child;
      }
    }
    return root;
  };
  const flame = () => {
    const box = section('Flame graph'), root = tree(), row = 18;
    const search = make('input', { type: 'search', placeholder: 'Search (regular expression)' });
    search.setAttribute('aria-label', 'Search the flame graph');
    const reset = make('button', { textContent: 'Reset zoom', hidden: true });
    const matched = make('span', { className: 'soft' });
    const graph = make('div', { className: 'flame' }), info = make('p', { className: 'info soft' });
    let zoomed = root, pattern = null;
    const tell = f => {
      info.textContent = f ? `${f.name}: ${number.format(f.samples)} samples, ` +
        `${number.format(f.value)} events, ${percent(share(f.value, root.value))}` : '';
    };
    const zoom = f => { zoomed = f; reset.hidden = f === root; draw(); };
    const put = (f, x, width) => {
      const element = make('div', { textContent: width > 22 ? f.name : '', tabIndex: 0,
        title: `${f.name} ${percent(share(f.value, root.value))}` });
      element.style.cssText = `left:${x}px;top:${f.depth * row}px;width:${Math.max(width, 1)}px;` +
        `background:hsl(${hue(f.name, 10, 45)} 85% var(--light))`;
      if (width < 8) { element.style.padding = 0; }
      if (pattern && pattern.test(f.name)) { element.className = 'found'; }
      element.addEventListener('click', () => zoom(f));
      element.addEventListener('keydown', e => { if (e.key === 'Enter') { zoom(f); } });
      element.addEventListener('mouseover', () => tell(f));
      element.addEventListener('focus', () => tell(f));
      graph.append(element);
      return f.depth;
    };
    const draw = () => {
      const width = graph.clientWidth;
      let deepest = 0;
      graph.replaceChildren();
      for (let f = zoomed.parent; f; f = f.parent) { put(f, 0, width); }
      const open = [[zoomed, 0]];
      while (open.length) {
        const [f, x] = open.pop(), scale = width / (zoomed.value || 1);
        deepest = Math.max(deepest, put(f, x, f.value * scale));
        let at = x;
        for (const child of [...f.children.values()].sort((a, b) => a.name < b.name ? -1 : 1)) {
          if (child.value * scale >= 0.5) { open.push([child, at]); }
          at += child.value * scale;
        }
      }
      graph.style.height = `${(deepest + 1) * row}px`;
    };
    const sum = f => pattern.test(f.name) ? f.value
      : [...f.children.values()].reduce((value, child) => value + sum(child), 0);
    search.addEventListener('input', () => {
      try { pattern = search.value ? new RegExp(search.value) : null; } catch (e) { return; }
      matched.textContent = pattern ? `matched ${percent(share(sum(root), root.value))}` : '';
      draw();
    });
    reset.addEventListener('click', () => zoom(root));
    addEventListener('keydown', e => { if (e.key === 'Escape') { zoom(root); } });
    box.append(make('div', { className: 'tools' }, search, reset, matched), graph, info);
    new ResizeObserver(draw).observe(box);
  };

  // Functions: a function that is in a stack several times has its samples once.
  const sums = () => {
    const found = new Map();
    const of = frame => {
      if (!found.has(frame)) {
        found.set(frame, { name: data.texts[frame], self: 0, total: 0, samples: 0 });
      }
      return found.get(frame);
    };
    const first = data.stacks.length && data.worlds ? 2 : 1;
    for (const [samples, period, ...frames] of data.stacks) {
      const functions = frames.slice(first), last = functions[functions.length - 1];
      if (last === undefined) { continue; }
      of(last).self += period;
      of(last).samples += samples;
      for (const frame of new Set(functions)) { of(frame).total += period; }
    }
    return [...found.values()];
  };
  const functions = () => {
    const box = section('Functions'), rows = sums(), body = make('tbody');
    const filter = make('input', { type: 'search', placeholder: 'Filter' });
    filter.setAttribute('aria-label', 'Filter functions');
    const columns = [['self', 'Self', f => percent(share(f.self, data.period))],
      ['total', 'Total', f => percent(share(f.total, data.period))],
      ['samples', 'Samples', f => number.format(f.samples), 'rare'],
      ['name', 'Function', f => f.name, 'name']];
    let key = 'self', down = true, limit = 30;
    const more = make('button', { textContent: 'Show all' });
    const line = make('tr'), heads = [];
    const draw = () => {
      const shown = rows.filter(f => f.name.includes(filter.value)).sort((a, b) =>
        (key === 'name' ? (a.name < b.name ? 1 : -1) : a[key] - b[key]) * (down ? -1 : 1) ||
        (a.name < b.name ? -1 : 1));
      body.replaceChildren(...shown.slice(0, limit).map(f => make('tr', {},
        ...columns.map(([, , text, name]) => make('td', { className: name || '', textContent: text(f) })))));
      more.hidden = shown.length <= limit;
      more.textContent = `Show ${number.format(shown.length - limit)} more`;
      for (const [i, head] of heads.entries()) {
        head.setAttribute('aria-sort', columns[i][0] === key ? (down ? 'descending' : 'ascending') : 'none');
        head.firstChild.textContent = columns[i][1] + (columns[i][0] === key ? (down ? ' \u25be' : ' \u25b4') : '');
      }
    };
    for (const [name, title, , type] of columns) {
      const button = make('button', { textContent: title });
      button.addEventListener('click', () => { down = key === name ? !down : true; key = name; draw(); });
      heads.push(make('th', { className: type || '' }, button));
    }
    line.append(...heads);
    filter.addEventListener('input', draw);
    more.addEventListener('click', () => { limit = Infinity; draw(); });
    box.append(make('div', { className: 'tools' }, filter),
      make('div', { className: 'wide' }, make('table', {}, make('thead', {}, line), body)), more);
    draw();
  };

  // Instructions: of each function, those around the ones that have samples.
  const code = () => {
    const box = section('Hot instructions'), found = new Map();
    if (!data.code.length) {
      box.append(make('p', { className: 'soft', textContent: data.why || 'No code is known.' }));
      return;
    }
    for (const row of data.code) {
      const key = `${row.image} ${row.sym}`;
      if (!found.has(key)) { found.set(key, []); }
      found.get(key).push(row);
    }
    for (const rows of found.values()) {
      const all = rows.reduce((sum, row) => sum + row.period, 0), near = 6;
      const table = make('table', { className: 'code' });
      let skipped = false;
      rows.forEach((row, i) => {
        if (!rows.slice(Math.max(0, i - near), i + near + 1).some(other => other.percent > 0.5)) {
          skipped = true;
          return;
        }
        if (skipped && table.rows.length) { table.append(make('tr', {}, make('td'), make('td', { textContent: '...' }), make('td'))); }
        skipped = false;
        const cell = make('td', { textContent: row.period ? percent(row.percent) : '' });
        cell.style.setProperty('--share', `${row.percent}%`);
        table.append(make('tr', {}, cell, make('td', { className: 'soft rare',
          textContent: row.address.replace(/^0x0*(?=.)/, '') }),
          make('td', { textContent: (row.code || 'no instruction').replace(/\t/g, ' ') })));
      });
      box.append(make('details', { open: box.children.length === 1 },
        make('summary', {}, make('b', { textContent: rows[0].sym }), make('span', { className: 'soft',
          textContent: ` ${percent(share(all, data.period))}, ${rows[0].image}` })),
        make('div', { className: 'wide' }, table)));
    }
  };

  page.replaceChildren();
  head();
  timeline();
  flame();
  functions();
  code();
}());
