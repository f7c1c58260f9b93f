#pragma once

// The style sheet of the HTML report: from 380 px on, dark and light; states have a symbol and a
// word beside their colour.

namespace shmem_bind::verify {

inline constexpr const char* kHtmlStyle = R"(
:root{color-scheme:light dark;--text:#1b1f24;--soft:#57606a;--page:#fff;--box:#f6f8fa;--line:#d0d7de;
--good:#1a7f37;--goodbg:#dafbe1;--bad:#b3261e;--badbg:#ffe3e0;--odd:#8a5a00;--oddbg:#fff3cd}
@media (prefers-color-scheme:dark){:root{--text:#e6edf3;--soft:#9aa5b1;--page:#0d1117;--box:#161b22;--line:#30363d;
--good:#56d364;--goodbg:#12261b;--bad:#ff9a92;--badbg:#341618;--odd:#e3b341;--oddbg:#2d2410}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif}
main{max-width:1240px;margin:0 auto;padding:16px}
h1{font-size:1.5rem;margin:.3em 0}h2{font-size:1.15rem;margin:1.8em 0 .5em;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:1.2em 0 .3em}
p{margin:.4em 0}.soft{color:var(--soft)}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:.4em 0;max-width:100%}
th,td{border:1px solid var(--line);padding:4px 9px;text-align:left;vertical-align:top}
th{background:var(--box);font-weight:600}td.number{text-align:right;font-variant-numeric:tabular-nums}
td,th,p,li,dd{overflow-wrap:anywhere}.wide td,.wide th{overflow-wrap:normal}
.state{white-space:nowrap;padding:1px 8px;border-radius:9px;font-weight:600}
td.state{border-radius:0}
.good{color:var(--good);background:var(--goodbg)}.bad{color:var(--bad);background:var(--badbg)}
.odd{color:var(--odd);background:var(--oddbg)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 14px;margin:.4em 0}dt{color:var(--soft)}dd{margin:0}
pre{margin:0;padding:8px 10px;overflow-x:auto;background:var(--box);border:1px solid var(--line);
font:12.5px/1.45 ui-monospace,monospace;white-space:pre}
.problem{border-left:4px solid var(--bad);padding:2px 0 2px 12px;margin:1em 0}
.block{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,1fr);gap:0 14px;margin:0 0 8px}
.block .rule{padding:6px 0}
@media (max-width:760px){main{padding:10px}.block{grid-template-columns:minmax(0,1fr)}.block .rule{order:-1}
dl{grid-template-columns:1fr}dd{margin:0 0 6px}td,th{padding:3px 6px}}
)";

}  // namespace shmem_bind::verify
