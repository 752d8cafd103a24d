4 check /proc/self/mem
