// Small problem files of every format, written by hand: what the tests of runtime/problems read, and what the fuzzer
// mutates.
#pragma once

static const char lcp_dense[] = "2\n0\n2\n2\n2 2\n 2 1\n 1 2\n-5 -6\n\ntrailing text\n";
static const char lcp_blocks[] = "3 1 3 3\n3 2 2\n1 3\n1 3\n3 3\n0 2 3\n0 1 1\n0 4\n1 1 -1\n2 3 1\n 1 3\n-1 -2 -3\n";
static const char relay[] = "2 0 2 2 2 2\n1 0 0 1\n-.5 0.5\n-1 -1\n1 1e0\n";
static const char relay_unbounded[] = "1 0 1 1 1 1\n2\n-4\n-inf\ninf\n";
static const char fc2d[] = "2 2 0 4 4 4 4\n3 0 0 0\n0 2 0 0\n0 0 3 0\n0 0 0 2\n-1 0.5 -1 3\n0.25 0\n";
static const char fc3d[] = "3 1 0 3 3 3 3\n15 -1 -2 -1 14 1 -2 1 16\n-1 2 3\n0.1\n1\n";
static const char fc3d_blocks[] =
    "3 2 1 6 6 2 2 2 3 6 3 6 3 2 0 1 2 0 1\n0 1 0 0 0 1 0 0 0 1\n1 2 0 0 0 1 0 0 0 1\n-1 1 3 -1 1 3\n0.1 10\n0\n";
// A u + C v + a = 0, D u + B v + b: both forms, blocks marked, the answer (v, w) behind.
static const char mlcp_both[] =
    "1 1\n1 2\n0 1 3\n0 1\n0 3 3 3 3\n1 0 0\n2 1 0\n0 1.25 1\n-1 1 -3\n1\n1 1.25 0 1\n2 0\n0 0\n-1\n1 -3\n0 3 4.75 0\n";
static const char mlcp_one[] = "1 0 1 2 0 2 3 1 0\n0 3 3 3 3\n1 0 2\n0.5 1 0\n 0 0 1\n1 -3 -1\n";
static const char mlcp_split[] = "0 1 2 1\n4 1\n1 3\n2\n1 0\n-1 0\n-1 2\n-3\n";
static const char mlcp_older[] = "1 1 2\n2\n3\n1\n-1\n-4\n1\n";
// The second equation is twice the first.
static const char mlcp_redundant[] = "1 1 3\n2 4\n3\n1 2\n-1\n-4 -8\n1\n";
static const char json_dense[] =
    "{\n  \"nsm_problem\": 1,\n  \"comment\": \"a box and a free row \\u00e9\",\n"
    "  \"M\": [[2, 1, 0], [1, 3, 0.5], [0, 0.5, 1]],\n  \"q\": [-1, 2.5e0, -3],\n"
    "  \"lo\": [0, \"-inf\", -1],\n  \"hi\": [\"inf\", \"inf\", 1],\n  \"labels\": [\"a\", \"b\", \"c\"],\n"
    "  \"guess\": [0, 0, 0],\n  \"lambda\": [1, -1, 1]\n}\n";
static const char json_sparse[] =
    "{\"nsm_problem\": 1, \"rows\": 3, \"M\": {\"row_start\": [0, 2, 3, 5], \"col\": [0, 2, 1, 0, 2], \"value\": [2, "
    "1, 1, 1, 2]}, \"q\": [-1, -1, 0]}";
static const char json_triplets[] =
    "{\"nsm_problem\": 1, \"M\": {\"row\": [1, 0, 0, 1], \"col\": [1, 0, 0, 1], \"value\": [1, 1.5, 0.5, 0]}, \"q\": "
    "[-1, 1]}";
static const char json_cones[] =
    "{\"nsm_problem\": 1, \"M\": {\"row\": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15], \"col\": "
    "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15],"
    " \"value\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}, \"q\": [-1,1,2,-1,1,-2,-1,1,1,1,-1,2,0.5,-1,3,-2],\n"
    " \"cones\": [{\"type\": \"coulomb\", \"first\": 0, \"size\": 3, \"mu\": 0.5}, {\"type\": \"elliptic\", "
    "\"first\": 3, \"mu\": 0.5, \"mu2\": 0.25},\n"
    "  {\"type\": \"contensou\", \"first\": 6, \"mu\": 0.5, \"radius\": 0.1}, {\"type\": \"grip\", \"first\": 10, "
    "\"size\": 2, \"mu\": 0.3}, {\"type\": \"disk\", \"first\": 12, \"size\": 2, \"radius\": 0.7},\n"
    "  {\"type\": \"ellipse\", \"first\": 14, \"size\": 2, \"mu\": 0.5, \"mu2\": 0.25, \"radius\": 0.7}],\n"
    " \"model\": \"M\", \"step\": 3, \"time\": 0.1, \"status\": \"solved\", \"solver\": \"x\", \"residual\": 0, "
    "\"iterations\": 1, \"place\": \"p\"}\n";

// mu = 0: a normal force of the wrong sign once passed for a solution.
static const char json_frictionless[] =
    "{\"nsm_problem\": 1, \"M\": [[3, 0, 0, 0], [0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0]], \"q\": [2, 0, 0, 2],\n"
    " \"cones\": [{\"type\": \"coulomb\", \"first\": 0, \"size\": 2, \"mu\": 0}, {\"type\": \"coulomb\", \"first\": "
    "2, \"size\": 2, \"mu\": 0}]}\n";

static const struct seed { const char *name, *text;
} seeds[] = { { "lcp_dense.dat", lcp_dense },
              { "lcp_blocks.dat", lcp_blocks },
              { "relay.dat", relay },
              { "step.dat", relay_unbounded },
              { "FC2D.dat", fc2d },
              { "FC3D.dat", fc3d },
              { "x.hdf5.dat", fc3d_blocks },
              { "both_mlcp.dat", mlcp_both },
              { "one_mlcp.dat", mlcp_one },
              { "split_mlcp.dat", mlcp_split },
              { "older_mlcp.dat", mlcp_older },
              { "redundant_mlcp.dat", mlcp_redundant },
              { "dense.json", json_dense },
              { "sparse.json", json_sparse },
              { "triplets.json", json_triplets },
              { "cones.json", json_cones },
              { "frictionless.json", json_frictionless } };
enum { SEEDS = sizeof seeds / sizeof *seeds };
