linalg.transpose permutation=?[3]
